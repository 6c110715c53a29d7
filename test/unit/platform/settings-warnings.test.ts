import { expect } from 'chai';
import { loadConfig } from '../../../shared/config/config.js';
import type { ProcessKind } from '../../../shared/config/config-contradictions.js';

describe('warnings about settings', () => {
  const COMPLETE = {
    SECRET_KEY: 'dH7kQ2vXz9LmB4tRw8sYc1NfJ6gPa3Ue5KoZi0VhTqM',
    DATABASE_URL: 'postgres://tow:secret@localhost:5432/tow',
    REDIS_URL: 'redis://localhost:6379',
    BASE_URL: 'https://api.example.com',
  };
  const warningsFor = (host: string, { kind = 'web' as ProcessKind, production = false } = {}) =>
    loadConfig(kind, { ...COMPLETE, HOST: host, NODE_ENV: production ? 'production' : 'test' }).warnings;

  for (const host of ['0.0.0.0', '::', '10.1.2.3', '2001:db8::1', 'tow.example.com']) {
    it(`outside production, one warning says that HOST=${host} admits other machines`, () => {
      for (const kind of ['all', 'web', 'cli'] as const) {
        const warnings = warningsFor(host, { kind });
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.match(
          new RegExp(`^HOST=${host.replaceAll('.', '\\.')} lets other machines in[^\\n]*$`),
        );
      }
      expect(warningsFor(host, { production: true })).to.deep.equal([]);
    });
  }

  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
    it(`HOST=${host} causes no warning, because it is this machine`, () => {
      expect(warningsFor(host)).to.deep.equal([]);
    });
  }

  for (const kind of ['worker', 'release'] as const) {
    it(`HOST=0.0.0.0 of a ${kind} causes no warning, because it has no sessions`, () => {
      expect(warningsFor('0.0.0.0', { kind })).to.deep.equal([]);
    });
  }

  it('warnings include misspelled settings next to the HOST warning', () => {
    const environment = { ...COMPLETE, NODE_ENV: 'test', HOST: '0.0.0.0', TRUST_PROXI: 'true' };
    const { warnings } = loadConfig('web', environment);
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.equal('TRUST_PROXI is not a setting: did you mean TRUST_PROXY?');
  });
});
