/**
 * Tools of the conformance suite that notify or query their client before they return a result. For
 * tests only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  type ElicitRequestFormParams,
  type LoggingLevel,
  LoggingLevelSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallNotifier } from '../../mcp/context/client-channel.js';
import type { ToolCall } from '../../mcp/tools/tool.js';

/** From the least to the most severe. */
export const LOG_LEVELS: readonly LoggingLevel[] = LoggingLevelSchema.options;

interface ClientContext {
  aside: CallNotifier;
  /** The least severe level that the caller wants. */
  level: LoggingLevel;
}

type ClientTool = (call: ToolCall, context: ClientContext) => Promise<CallToolResult>;

const STEP_MS = 50;

const buildTextResult = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });

async function log(_call: ToolCall, { aside, level }: ClientContext): Promise<CallToolResult> {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    const isWanted = LOG_LEVELS.indexOf('info') >= LOG_LEVELS.indexOf(level);
    if (isWanted) aside.notify({ method: 'notifications/message', params: { level: 'info', data } });
    await sleep(STEP_MS);
  }
  return buildTextResult('logged');
}

async function progress(
  { meta: { progressToken } }: ToolCall,
  { aside }: ClientContext,
): Promise<CallToolResult> {
  for (const done of [0, 50, 100]) {
    if (typeof progressToken === 'string' || typeof progressToken === 'number') {
      const params = { progressToken, progress: done, total: 100 };
      aside.notify({ method: 'notifications/progress', params });
    }
    await sleep(STEP_MS);
  }
  return buildTextResult('done');
}

async function sample({ args }: ToolCall, { aside }: ClientContext): Promise<CallToolResult> {
  const content = { type: 'text' as const, text: String(args.prompt) };
  const { content: reply } = await aside.sendRequest({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content }], maxTokens: 100 },
  });
  return buildTextResult(`LLM response: ${(reply as { text?: string }).text}`);
}

async function elicit(aside: CallNotifier, params: ElicitRequestFormParams): Promise<string> {
  const { action, content } = await aside.sendRequest({ method: 'elicitation/create', params });
  return `action=${action}, content=${JSON.stringify(content)}`;
}

const USER: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

const WITH_DEFAULTS: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const titled = (...titles: string[]) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));
const OPTIONS = ['option1', 'option2', 'option3'];

const ENUMS: ElicitRequestFormParams['requestedSchema'] = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: OPTIONS },
    titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
    },
  },
};

/** By tool name. */
export const CLIENT_TOOLS: Record<string, ClientTool> = {
  test_tool_with_logging: log,
  test_tool_with_progress: progress,
  test_sampling: sample,
  test_elicitation: async ({ args }, { aside }) =>
    buildTextResult(
      `User response: ${await elicit(aside, { message: String(args.message), requestedSchema: USER })}`,
    ),
  test_elicitation_sep1034_defaults: async (_call, { aside }) => {
    const reply = await elicit(aside, { message: 'Correct what is wrong.', requestedSchema: WITH_DEFAULTS });
    return buildTextResult(`Elicitation completed: ${reply}`);
  },
  test_elicitation_sep1330_enums: async (_call, { aside }) => {
    const reply = await elicit(aside, { message: 'Choose.', requestedSchema: ENUMS });
    return buildTextResult(`Elicitation completed: ${reply}`);
  },
};
