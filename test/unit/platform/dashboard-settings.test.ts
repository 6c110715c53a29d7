import { expect } from 'chai';
import { ConfigError, loadConfig } from '../../../shared/config/config.js';

const SECRET = 'a secret key that is long enough for anybody';

/** Returns the problems of the configuration of `npm start`, or an empty list. */
function findConfigProblems(environment: Record<string, string>): string[] {
  try {
    loadConfig('all', { SECRET_KEY: SECRET, ...environment });
    return [];
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
}

describe('RATE_LIMIT_PEOPLE', () => {
  it('RATE_LIMIT_PEOPLE replaces the limits of one person, which are 600 a minute by default', () => {
    expect(loadConfig('all', { SECRET_KEY: SECRET }).peopleLimits).to.deep.equal({
      minute: 600,
      hour: 12_000,
    });
    const { peopleLimits } = loadConfig('all', {
      SECRET_KEY: SECRET,
      RATE_LIMIT_PEOPLE: '{"minute":7,"hour":8}',
    });
    expect(peopleLimits).to.deep.equal({ minute: 7, hour: 8 });
  });

  for (const text of [
    'not json',
    '{"minute":1}',
    '{"minute":0,"hour":1}',
    '{"starter":{"minute":1,"hour":1}}',
  ]) {
    it(`RATE_LIMIT_PEOPLE refuses ${text}`, () => {
      expect(findConfigProblems({ RATE_LIMIT_PEOPLE: text }).join()).to.include('RATE_LIMIT_PEOPLE');
    });
  }
});

describe('MAP_STYLE_URL and MAP_ORIGINS', () => {
  const style = 'https://tiles.example.com/styles/streets.json?key=1';

  it('the map may read from the origin of its style and from MAP_ORIGINS, each once', () => {
    const more = 'https://fonts.example.com,https://tiles.example.com,http://127.0.0.1:8080';
    const { map } = loadConfig('all', { SECRET_KEY: SECRET, MAP_STYLE_URL: style, MAP_ORIGINS: more });
    const origins = ['https://tiles.example.com', 'https://fonts.example.com', 'http://127.0.0.1:8080'];
    expect(map).to.deep.equal({ styleUrl: style, origins });
    expect(loadConfig('all', { SECRET_KEY: SECRET, MAP_ORIGINS: more }).map).to.equal(undefined);
  });

  for (const text of [
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example/tiles',
    '*',
    'data:',
  ])
    it(`MAP_ORIGINS refuses ${text}, which would change the policy of the dashboard`, () => {
      const [problem] = findConfigProblems({ MAP_STYLE_URL: style, MAP_ORIGINS: text });
      expect(problem).to.include('"MAP_ORIGINS" must be origins separated by commas');
    });
});
