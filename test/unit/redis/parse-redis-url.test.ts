import { expect } from 'chai';
import { parseRedisUrl } from '../../../shared/config/redis/parse-redis-url.js';
import { formatRedisNodes } from '../../../shared/config/redis/redis-location.js';
import { findRedisConflicts, readRedisLocation } from '../../../shared/config/redis/redis-settings.js';

const NOBODY = { username: undefined, password: undefined };
const NO_OPTIONS = { ...NOBODY, tls: undefined, family: undefined };
const TLS = { ca: undefined };

const LOCATIONS: Record<string, object> = {
  'redis://localhost': { ...NO_OPTIONS, kind: 'single', nodes: [{ host: 'localhost', port: 6379 }], db: 0 },
  'rediss://tow:a%2Fb%40c@cache.example.com:6380/3': {
    ...NO_OPTIONS,
    kind: 'single',
    nodes: [{ host: 'cache.example.com', port: 6380 }],
    username: 'tow',
    password: 'a/b@c',
    tls: TLS,
    db: 3,
  },
  'redis://:secret@[::1]:6379?db=2&family=6': {
    ...NO_OPTIONS,
    kind: 'single',
    nodes: [{ host: '::1', port: 6379 }],
    password: 'secret',
    family: 6,
    db: 2,
  },
  'redis+sentinel://one,two:26380/main': {
    ...NO_OPTIONS,
    kind: 'sentinel',
    nodes: [
      { host: 'one', port: 26_379 },
      { host: 'two', port: 26_380 },
    ],
    name: 'main',
    db: 0,
    sentinelUsername: undefined,
    sentinelPassword: undefined,
  },
  'REDISS+SENTINEL://tow:x@one/main?db=1&sentinel_user=s&sentinel_password=p%26w': {
    ...NO_OPTIONS,
    kind: 'sentinel',
    nodes: [{ host: 'one', port: 26_379 }],
    username: 'tow',
    password: 'x',
    tls: TLS,
    name: 'main',
    db: 1,
    sentinelUsername: 's',
    sentinelPassword: 'p&w',
  },
  'redis+cluster://tow:x@10.0.0.1:7000,10.0.0.2:7001': {
    ...NO_OPTIONS,
    kind: 'cluster',
    nodes: [
      { host: '10.0.0.1', port: 7000 },
      { host: '10.0.0.2', port: 7001 },
    ],
    username: 'tow',
    password: 'x',
  },
  'redis+sentinel://one.svc./main?sentinel_password=a+b%3D': {
    ...NO_OPTIONS,
    kind: 'sentinel',
    nodes: [{ host: 'one.svc.', port: 26_379 }],
    db: 0,
    name: 'main',
    sentinelUsername: undefined,
    sentinelPassword: 'a+b=',
  },
  'rediss+cluster://one/0?family=0': {
    ...NO_OPTIONS,
    kind: 'cluster',
    nodes: [{ host: 'one', port: 6379 }],
    tls: TLS,
    family: 0,
  },
};

/** Wrong URLs, each with a part of every fault that it has. */
const FAULTS: Record<string, string[]> = {
  '': ['must begin with'],
  'localhost:6379': ['must begin with'],
  'http://redis': ['must begin with'],
  'redis+ring://redis': ['must begin with'],
  'redis://': ['names no host'],
  'redis://:6379': ['has no host'],
  'redis://one two': ['no host name'],
  'redis://one:0': ['between 1 and 65535'],
  'redis://one:66000': ['between 1 and 65535'],
  'redis://one:port': ['between 1 and 65535'],
  'redis://one,two': ['several addresses'],
  'redis://one/main': ['number of a database'],
  'redis://one/1?db=2': ['database twice'],
  'redis://one?db=1&db=2': ['a parameter twice'],
  'redis://one?family=5': ['4, 6 or 0'],
  'redis://one?name=main': ['may have only db, family'],
  'redis://tow@one': ['user name without a password'],
  'redis://tow:%zz@one': ['password is not percent-encoded', 'without a password'],
  'redis://:p@ss@one': ['@ twice'],
  'redis://:p/ss@one': ['/ before @'],
  'redis://:p#ss@one': ['contains #'],
  'redis+sentinel://one,two': ['name of the master'],
  'redis+sentinel://one:x,,two/a b?db=x&sentinel_user=s': [
    'address 1 has a port',
    'address 2 has no host',
    'name of the master',
    'db must be',
    'sentinel_user needs',
  ],
  'redis+cluster://one,two/1': ['only the database 0'],
  'redis+cluster://one?db=1': ['may have only family'],
};

describe('REDIS_URL', () => {
  for (const [url, location] of Object.entries(LOCATIONS)) {
    it(`is parsed: ${url}`, () => {
      expect(parseRedisUrl(url)).to.deep.equal({ faults: [], location });
    });
  }

  for (const [url, parts] of Object.entries(FAULTS)) {
    it(`is refused with every fault: ${url || 'nothing'}`, () => {
      const { faults, location } = parseRedisUrl(url);
      expect(location).to.equal(undefined);
      for (const part of parts)
        expect(
          faults.filter((fault) => fault.includes(part)),
          part,
        ).to.have.length(1);
    });
  }

  it('no fault contains a part of the URL, because any part can be a password', () => {
    for (const url of Object.keys(FAULTS)) {
      const secret = url.replaceAll('one', 'hunter2').replaceAll('ss@', 'hunter2@');
      expect(parseRedisUrl(secret).faults.join(), url).to.not.include('hunter2');
    }
  });

  it('the servers are named without a password in log entries', () => {
    const { location } = parseRedisUrl('redis+cluster://tow:secret@[::1]:7000,two');
    expect(location && formatRedisNodes(location)).to.equal('[::1]:7000,two:6379');
  });

  it('REDIS_CA_FILE must be a certificate, and needs a URL with TLS', () => {
    const authority = 'test/fixtures/tls/receiver.pem';
    expect(findRedisConflicts({ REDIS_URL: 'rediss+cluster://one', REDIS_CA_FILE: authority })).to.deep.equal(
      [],
    );
    const problems = findRedisConflicts({ REDIS_URL: 'redis://one', REDIS_CA_FILE: 'package.json' });
    expect(problems).to.have.length(2);
    expect(problems[0]).to.include('without a "REDIS_URL" with TLS');
    expect(problems[1]).to.include('readable PEM file');
    const location = readRedisLocation({ REDIS_URL: 'rediss://one', REDIS_CA_FILE: authority });
    expect(location?.tls?.ca).to.include('BEGIN CERTIFICATE');
  });
});
