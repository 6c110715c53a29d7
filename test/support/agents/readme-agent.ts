/** Fills in the JSON for desktop agents that README.md shows, as a reader of README.md would. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROJECT } from '../load/processes.js';

/**
 * @param way which JSON example of README.md to take: the one with the server's URL, or the one
 * with the command `tow mcp`
 * @returns that example; only its server URL, agent key and project folder are replaced
 */
export async function fillReadmeAgentJson(
  way: 'url' | 'command',
  { origin, key }: { origin: string; key: string },
): Promise<string> {
  const readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```json\n(\{\s*"mcpServers"[^`]*)```/g)].map(([, json]) => json ?? '');
  const [json = ''] = blocks.filter((block) => block.includes(`"${way}"`));
  expect(json).to.include('http://127.0.0.1:3000/mcp').and.to.include('tk_agent_…');
  const filled = json.replace('http://127.0.0.1:3000', origin).replace('tk_agent_…', key);
  return filled.replace('/path/to/tow-dispatch', PROJECT);
}
