import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

import { NEXT_STEPS } from '../../../mcp/call/result.js';
import { PROJECT } from '../../support/load/processes.js';

const text = readFileSync(join(PROJECT, 'docs/agents/README.md'), 'utf8');

describe('docs/agents/README.md', () => {
  it('documents every error code for which a tool error suggests next steps', () => {
    const documentedCodes = new Set([...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    expect(Object.keys(NEXT_STEPS).filter((code) => !documentedCodes.has(code))).to.deep.equal([]);
  });
});
