import { expect } from 'chai';
import { replaceAll, SHORTENED } from '../../support/deploy/deploy-files.js';
import { readSource } from '../../support/text/source-text.js';

describe('the files of docs/deploy that the tests start', () => {
  it('a test that replaces an unknown text, or leaves an address or a password, fails', () => {
    const replace = (replacements: Record<string, string>) =>
      replaceAll('host: 10.0.0.11\npassword: change-me-rest\n', replacements, 'the file');
    expect(() => replace({ '10.0.0.12': 'x' })).to.throw('the file has no "10.0.0.12" to replace');
    expect(() => replace({ '10.0.0.11': 'x' })).to.throw('placeholder: password: change-me-rest');
    expect(replace({ '10.0.0.11': 'x', 'change-me-rest': 'y' })).to.equal('host: x\npassword: y\n');
  });

  it('the guides name the times that the tests shorten', () => {
    const guides = {
      'patroni/patroni.yml': 'docs/guides/postgres-failover.md',
      'redis/sentinel.conf': 'docs/guides/redis.md',
    };
    for (const [name, guide] of Object.entries(guides))
      for (const [text, from, to] of SHORTENED[name as keyof typeof guides])
        expect(readSource(guide), name).to.match(
          new RegExp(`\`${text.split(/[: ]/)[0]}\` from ${from} to ${to} m?s`),
        );
  });
});
