/** Sets up an agent as the README says, and lets it draft an invoice. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DemoFile } from '../../../bin/demo/demo-file.js';
import { ARE_MCP_TOOLS_MISSING, inspectWithConfig } from '../../support/agents/mcp-tools.js';
import { fillReadmeAgentJson } from '../../support/agents/readme-agent.js';
import { useProcesses } from '../../support/load/processes.js';
import { buildScriptCommand } from '../../support/network/run-script.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';

if (!IS_SCALED) {
  describe("an agent configured by the README's JSON, against npm start", function () {
    this.timeout(120_000);
    const processes = useProcesses();
    let origin: string;
    let folder: string;
    let key: string;

    before(async () => {
      folder = await processes.createFolder();
      const port = await getFreePort();
      origin = `http://127.0.0.1:${port}`;
      const env = { DATA_DIR: folder, PORT: `${port}` };
      await processes.start({ command: ['node', 'dist/bin/start.js'], env }).waitUntilReady(origin);
      const demo = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')) as DemoFile;
      key = demo.tenants[0]?.agent_key ?? '';
    });

    for (const [name, way] of [
      ['over stdio, by tow mcp', 'command'],
      ['over HTTP', 'url'],
    ] as const) {
      it(`an agent lists work orders, drafts an invoice, is held for approval and proposes an approval ${name}`, async () => {
        const path = join(folder, `${way}.json`);
        await writeFile(path, await fillReadmeAgentJson(way, { origin, key }));
        const command = buildScriptCommand('docs/agents/first-invoice.ts', path);
        // Set HOME, because npx writes its logs there.
        const { code, output, stdout } = await processes.run({ command, env: { HOME: folder } });
        expect(code, output).to.equal(0);
        const outputLines = stdout.trim().split('\n');
        expect(outputLines[0]).to.match(/^list_work_orders: \d+ on this page/);
        expect(outputLines.at(-3)).to.match(/^create_invoice_draft: Held for a person: \$/);
        const result = JSON.parse(outputLines.at(-1) ?? '');
        expect(result).to.include({ pending_approval: true });
        for (const id of ['invoice_id', 'held_approval_id', 'proposal_id'])
          expect(result[id], id).to.be.a('string');
      });

      it(`the MCP inspector lists the 10 tools ${name}`, async function () {
        if (ARE_MCP_TOOLS_MISSING) this.skip();
        const path = join(folder, `${way}.json`);
        await writeFile(path, await fillReadmeAgentJson(way, { origin, key }));
        const { code, stdout, stderr } = await inspectWithConfig(path, [
          '--method',
          'tools/list',
          '--strict',
          // npx may start slowly on a busy machine.
          '--connect-timeout',
          '100000',
        ]);
        expect(code, stderr).to.equal(0);
        expect(JSON.parse(stdout).result.tools).to.have.length(10);
      });
    }
  });
}
