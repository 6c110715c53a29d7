import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROMPTS } from '../../mcp/prompts.js';
import { RESOURCES, TEMPLATES } from '../../mcp/resources.js';
import { NEXT } from '../../mcp/result.js';
import { TOOLS } from '../../mcp/tools/index.js';
import { PROJECT } from '../support/processes.js';

const text = readFileSync(join(PROJECT, 'docs/agents/README.md'), 'utf8');

describe('docs/agents/README.md', () => {
  it('has a row for every tool with its scope, and none for a tool that is not there', () => {
    const rows = new Map(
      [...text.matchAll(/^\| `(\w+)` \| (read_\w+|write_\w+|propose_\w+) \| (.*) \|$/gm)].map(
        ([, name, scope, what]) => [name, { scope, what: what ?? '' }],
      ),
    );
    expect([...rows.keys()]).to.deep.equal(TOOLS.map(({ name }) => name));
    for (const { name, scope } of TOOLS) expect(rows.get(name)?.scope, name).to.equal(scope);
  });

  it('names every resource, template and prompt', () => {
    for (const uri of [
      ...RESOURCES.map(({ uri }) => uri),
      ...TEMPLATES.map(({ uriTemplate }) => uriTemplate),
    ])
      expect(text).to.include(`\`${uri}\``);
    for (const { name } of PROMPTS) expect(text).to.include(`\`${name}\``);
  });

  it('says of every error what to do that the answer says it of', () => {
    const named = new Set([...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    expect(Object.keys(NEXT).filter((code) => !named.has(code))).to.deep.equal([]);
  });
});
