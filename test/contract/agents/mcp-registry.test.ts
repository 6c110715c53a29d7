import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import { buildManifest } from '../../../mcp/protocol/manifest.js';
import { getPrompt, listPrompts, PROMPTS } from '../../../mcp/resources/prompts.js';
import { listResources, listTemplates, RESOURCES, TEMPLATES } from '../../../mcp/resources/resources.js';
import { TOOLS } from '../../../mcp/tools/index.js';
import { LISTED_TOOLS } from '../../../mcp/tools/schemas.js';
import { canUseTool } from '../../../mcp/tools/tool.js';
import { loadConfig } from '../../../shared/config/config.js';
import type { Principal } from '../../../shared/contracts/principal.js';
import { AGENT_SCOPES, type AgentScope } from '../../../shared/contracts/vocabulary.js';
import { commands } from '../../../shared/registry/resources.js';
import type { Json } from '../../support/client.js';
import { PROJECT } from '../../support/load/processes.js';

const config = loadConfig('cli', { NODE_ENV: 'test', PORT: '4123' });
const manifest = buildManifest(config) as Json;
const listed = [...LISTED_TOOLS.values()];

/**
 * The tools of `docs/specification.md §4.2`, with their scopes from `docs/decisions.md §6.4`. In
 * `args`, an asterisk marks a required argument.
 */
const TABLE: Record<string, { scope: AgentScope; args: string; write?: true }> = {
  list_invoices: { scope: 'read_invoices', args: 'status, limit, cursor' },
  get_invoice: { scope: 'read_invoices', args: 'invoice_id*' },
  create_invoice_draft: {
    scope: 'write_invoices_draft',
    args: 'work_order_id*, line_items, notes, billing_email',
    write: true,
  },
  list_work_orders: { scope: 'read_work_orders', args: 'status, limit, cursor' },
  get_work_order: { scope: 'read_work_orders', args: 'work_order_id*' },
  create_work_order: {
    scope: 'write_work_orders',
    args: 'service_type*, customer_id, pickup_location, dropoff_location, vin, unit_number, internal_notes, customer_notes, billing_email',
    write: true,
  },
  list_customers: { scope: 'read_customers', args: 'search, limit, cursor' },
  get_dispatch_board: { scope: 'read_dispatch', args: '' },
  search_audit_log: { scope: 'read_audit', args: 'entity_type, actor, since, until, limit, cursor' },
  propose_invoice_approval: {
    scope: 'propose_approvals',
    args: 'invoice_id*, justification*',
    write: true,
  },
};

const OPTIONS = ['idempotency_key', 'dry_run'];

/** Formats a tool's arguments as in `TABLE`, but leaves out those in `OPTIONS`. */
function formatArguments({ inputSchema }: Json): string {
  return Object.keys(inputSchema.properties)
    .filter((name) => !OPTIONS.includes(name))
    .map((name) => (inputSchema.required?.includes(name) ? `${name}*` : name))
    .join(', ');
}

/** Builds a key with `scopes` and `readOnly`, the only members that matter for a list of tools. */
const keyWithScopes = (scopes: readonly AgentScope[], readOnly = false) =>
  ({ scopes, readOnly }) as Principal;

describe('MCP tool registry', () => {
  it('has the tools of the specification with their sequence, arguments and scopes', () => {
    expect(TOOLS.map(({ name, scope }) => [name, scope])).to.deep.equal(
      Object.entries(TABLE).map(([name, { scope }]) => [name, scope]),
    );
    for (const tool of listed) expect(formatArguments(tool), tool.name).to.equal(TABLE[tool.name]?.args);
  });

  it('every tool has four hints and a title; only writes accept idempotency_key and dry_run', () => {
    for (const { name, title, annotations, inputSchema } of listed) {
      const isRead = !TABLE[name]?.write;
      expect(annotations, name).to.deep.equal({
        title,
        readOnlyHint: isRead,
        destructiveHint: false,
        idempotentHint: isRead,
        openWorldHint: false,
      });
      const own = Object.keys(inputSchema.properties ?? {});
      if (isRead) expect(own, name).to.not.include.members(OPTIONS);
      else expect(own, name).to.include.members(OPTIONS);
      expect(inputSchema.additionalProperties, name).to.equal(false);
    }
  });

  it('list tools have the limits and defaults of the specification', () => {
    const bounds = Object.fromEntries(
      listed.flatMap(({ name, inputSchema }) => {
        const {
          type,
          minimum,
          maximum,
          default: defaultValue,
        } = (inputSchema.properties?.limit ?? {}) as Json;
        return type ? [[name, [type, minimum, maximum, defaultValue]]] : [];
      }),
    );
    expect(bounds).to.deep.equal({
      list_invoices: ['integer', 1, 200, 50],
      list_work_orders: ['integer', 1, 200, 50],
      list_customers: ['integer', 1, 100, 50],
      search_audit_log: ['integer', 1, 100, 50],
    });
    const entityType = LISTED_TOOLS.get(TOOLS[8] as (typeof TOOLS)[number])?.inputSchema.properties
      ?.entity_type as Json;
    expect(entityType.enum).to.deep.equal(['invoice', 'work_order', 'customer']);
  });

  it('write tools submit registered commands that require the same scope over REST', () => {
    for (const tool of TOOLS) {
      if (tool.kind !== 'write') continue;
      expect(commands, tool.name).to.include(tool.command);
      expect(tool.command.agentScope, tool.name).to.equal(tool.scope);
      expect(tool.command.action, tool.name).to.equal(tool.action);
      expect(tool.command.entityType, tool.name).to.equal(tool.entityType);
    }
  });

  it("lists show only the tools of the key's scopes, and no writes to a read-only key", () => {
    const shown = (key: Principal) => TOOLS.filter((tool) => canUseTool(key, tool)).map(({ name }) => name);
    for (const scope of AGENT_SCOPES)
      expect(shown(keyWithScopes([scope])), scope).to.deep.equal(
        Object.keys(TABLE).filter((name) => TABLE[name]?.scope === scope),
      );
    expect(shown(keyWithScopes(AGENT_SCOPES))).to.deep.equal(Object.keys(TABLE));
    expect(shown(keyWithScopes(AGENT_SCOPES, true))).to.deep.equal(
      Object.keys(TABLE).filter((name) => !TABLE[name]?.write),
    );
    expect(shown(keyWithScopes([]))).to.deep.equal([]);
  });
});

describe('token cost of the MCP tools', () => {
  const tokens = (value: unknown) => encode(JSON.stringify(value)).length;

  it('all tools cost at most 6,000 tokens, 600 on average and 1,000 each', () => {
    const each = listed.map(tokens);
    expect(tokens({ tools: listed })).to.be.at.most(6000);
    expect(Math.max(...each)).to.be.at.most(1000);
    expect(each.reduce((sum, one) => sum + one, 0) / each.length).to.be.at.most(600);
  });

  it('tool and prompt descriptions stay below 2,048 characters, where clients cut them', () => {
    for (const { name, description } of listed) {
      expect(description, name)
        .to.be.a('string')
        .and.match(/^[A-Z].+\.$/s);
      expect(description?.length, name).to.be.within(100, 2047);
    }
    for (const { name, description, text } of PROMPTS) {
      expect(description.length, name).to.be.below(2048);
      expect(text.length, name).to.be.below(2048);
    }
  });

  it('every write description asks for the same idempotency key on a retry', () => {
    const writes = listed.filter(({ name }) => TABLE[name]?.write);
    for (const text of writes.map(({ description }) => description))
      expect(text).to.match(/SAME (one|idempotency_key)/);
  });

  it('descriptions and prompts name only existing tools', () => {
    const names = new Set([...Object.keys(TABLE)]);
    const texts = [
      ...listed.map(({ description }) => String(description)),
      ...PROMPTS.map(({ text }) => text),
    ];
    for (const text of texts)
      for (const [name] of text.matchAll(/\b(list|get|create|search|propose)_[a-z_]+/g))
        expect(names, text).to.include(name);
  });
});

describe('MCP manifest', () => {
  it('the manifest has exactly the members of the specification', () => {
    expect(Object.keys(manifest)).to.deep.equal([
      'schemaVersion',
      'name',
      'version',
      'description',
      'tools',
      'resources',
      'auth',
      'scopes',
      'rateLimits',
      'idempotency',
      'dryRun',
      'links',
    ]);
    expect(manifest).to.include({ schemaVersion: '2024-11-05', version: '0.1.0' });
    expect(manifest.auth.keyPrefix).to.equal('tk_agent_');
    expect(manifest.idempotency.header).to.equal('Idempotency-Key');
    expect(manifest.dryRun).to.include({ header: 'X-Service-Dry-Run', value: 'true' });
    expect(Object.values(manifest.links)).to.satisfy((links: string[]) =>
      links.every((link) => URL.canParse(link)),
    );
  });

  it('the manifest shows the tools as tools/list does, with their scopes', () => {
    expect(manifest.tools.map(({ scope: _scope, ...tool }: Json) => tool)).to.deep.equal(listed);
    for (const { name, scope } of manifest.tools) expect(scope, name).to.equal(TABLE[name]?.scope);
  });

  it('the manifest shows resources and templates as their lists do, with their scopes', () => {
    const all = keyWithScopes(AGENT_SCOPES);
    expect(manifest.resources.map(({ scope: _scope, ...resource }: Json) => resource)).to.deep.equal([
      ...listResources(all),
      ...listTemplates(all),
    ]);
    expect(
      manifest.resources.map(({ uri, uriTemplate, scope }: Json) => [uri ?? uriTemplate, scope]),
    ).to.deep.equal([
      ['service://audit-log', 'read_audit'],
      ['service://dispatch-board', 'read_dispatch'],
      ['service://invoices/{id}', 'read_invoices'],
      ['service://work-orders/{id}', 'read_work_orders'],
      ['service://customers/{id}', 'read_customers'],
    ]);
  });

  it('the manifest names every scope and the configured rate limits', () => {
    expect(manifest.scopes.map(({ id }: Json) => id)).to.deep.equal([...AGENT_SCOPES]);
    const limits = Object.entries(config.tiers).map(([tier, { minute, hour }]) => [
      tier,
      { perMinute: minute, perHour: hour },
    ]);
    expect(manifest.rateLimits).to.deep.equal(Object.fromEntries(limits));
  });
});

describe('MCP prompts', () => {
  it('only keys with every scope of a prompt can list and get it', () => {
    for (const { name, scopes, text } of PROMPTS) {
      expect(listPrompts(keyWithScopes(scopes)).map((prompt) => prompt.name)).to.include(name);
      for (const scope of scopes) {
        const without = keyWithScopes(AGENT_SCOPES.filter((one) => one !== scope));
        expect(listPrompts(without).map((prompt) => prompt.name)).to.not.include(name);
        expect(() => getPrompt(without, name)).to.throw('no such prompt');
      }
      const readTools = Object.keys(TABLE).filter((tool) => text.includes(tool) && !TABLE[tool]?.write);
      expect(readTools, name).to.not.deep.equal([]);
      for (const tool of readTools) expect(scopes, `${name}: ${tool}`).to.include(TABLE[tool]?.scope);
    }
  });
});

describe('docs/agents/tools.md', () => {
  const page = readFileSync(join(PROJECT, 'docs/agents/tools.md'), 'utf8');
  const expectRows = (rows: string[]) => {
    for (const row of rows) expect(page.split('\n'), 'a table of docs/agents/tools.md').to.include(row);
  };

  it('the tool table has a row for each tool', () => {
    expectRows(
      TOOLS.map((tool) => {
        const { annotations, ...own } = LISTED_TOOLS.get(tool) as Json;
        const hints = annotations.readOnlyHint ? 'read-only, idempotent' : 'writes';
        return `| \`${tool.name}\` | ${formatArguments(own)} | \`${tool.scope}\` | ${hints} |`;
      }),
    );
  });

  it('the tables have a row for each resource, template and prompt', () => {
    expectRows(RESOURCES.map(({ uri, name, scope }) => `| \`${uri}\` | ${name} | \`${scope}\` |`));
    expectRows(
      TEMPLATES.map(({ uriTemplate, name, scope }) => `| \`${uriTemplate}\` | ${name} | \`${scope}\` |`),
    );
    expectRows(
      PROMPTS.map(
        ({ name, scopes }) => `| \`${name}\` | ${scopes.map((scope) => `\`${scope}\``).join(', ')} |`,
      ),
    );
  });
});
