import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NEXT } from '../../mcp/result.js';
import { PROJECT } from '../support/processes.js';

const text = readFileSync(join(PROJECT, 'docs/agents/README.md'), 'utf8');

/** docs/agents/tools.md: mcp-registry.test.ts. */
describe('docs/agents/README.md', () => {
  it('says of every error what to do that the answer says it of', () => {
    const named = new Set([...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    expect(Object.keys(NEXT).filter((code) => !named.has(code))).to.deep.equal([]);
  });
});
