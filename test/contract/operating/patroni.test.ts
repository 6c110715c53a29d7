import { expect } from 'chai';
import { replaceAll, SHORTENED } from '../../support/load/patroni/deploy-files.js';
import { readSource } from '../../support/text/source-text.js';

describe('the files of docs/deploy/patroni', () => {
  it('a test that replaces an unknown text, or leaves an address or a password, fails', () => {
    const replace = (replacements: Record<string, string>) =>
      replaceAll('host: 10.0.0.11\npassword: change-me-rest\n', replacements, 'the file');
    expect(() => replace({ '10.0.0.12': 'x' })).to.throw('the file has no "10.0.0.12" to replace');
    expect(() => replace({ '10.0.0.11': 'x' })).to.throw('placeholder: password: change-me-rest');
    expect(replace({ '10.0.0.11': 'x', 'change-me-rest': 'y' })).to.equal('host: x\npassword: y\n');
  });

  it('the guide names the times that the test shortens', () => {
    const guide = readSource('docs/guides/postgres-failover.md');
    for (const [name, [from, to]] of Object.entries(SHORTENED))
      expect(guide).to.include(`\`${name}\` from ${from} to ${to} s`);
  });
});
