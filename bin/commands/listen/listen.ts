import { setTimeout as pause } from 'node:timers/promises';
import { validate } from '../../../shared/contracts/schemas/validate.js';
import { eventStreamQuery } from '../../../shared/resources/events/schema.js';
import { resolveApiAccess, validateHttpUrl } from '../../cli/api-access.js';
import { type ApiAccess, ApiError } from '../../cli/api-client.js';
import type { CommandArgs, CommandContext, RunCommand } from '../../cli/command.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import type { OutputEntry } from '../../cli/output.js';
import type { SseBlock } from '../../cli/sse-parser.js';
import { isTransientError, openEventStream, StreamInterruptedError } from './event-stream.js';
import { type ForwardResult, forwardEvent, type StreamedEvent } from './forwarder.js';
import { ListenState } from './listen-state.js';

/** The time to wait before connecting again, unless the stream sends another retry time. */
const RETRY_MS = 2000;
const LONGEST_RETRY_MS = 15_000;

/** `tow listen`: forwards the account's events as signed webhooks to a local address. */
export const listen: RunCommand = async (args, context) => {
  const { values } = args;
  const target = validateHttpUrl('--forward-to', String(values['forward-to']));
  const types = parseFilters(args);
  const config = context.config();
  const api = await resolveApiAccess(args, config, values.sandbox === true ? 'sandbox_key' : 'api_key');
  const { key } = api;
  if (values['print-secret'] === true) {
    const state =
      (await ListenState.find(config.dataDir, key, target)) ??
      (await ListenState.acquire(config.dataDir, { key, target }, context.lifecycle));
    return { data: { forward_to: target, secret: state.secret }, text: state.secret };
  }
  const state = await ListenState.acquire(config.dataDir, { key, target }, context.lifecycle);
  if (values['from-now'] === true) await state.save(null);
  const listener = new Listener({ api, target, types, state }, context);
  await listener.run();
  const { forwarded } = listener;
  return {
    data: { forwarded, last_event_id: state.lastEventId },
    text: `Stopped. Events forwarded: ${forwarded}; the next run continues from here.`,
  };
};

function parseFilters({ values }: CommandArgs): string | undefined {
  return validate<{ types?: string }>(eventStreamQuery, { types: values.events }).types;
}

interface ListenOptions {
  api: ApiAccess;
  target: string;
  types: string | undefined;
  state: ListenState;
}

/**
 * Forwards the events one at a time and in sequence. Saves the id of each answered event, so that
 * later connections begin after that event.
 */
class Listener {
  forwarded = 0;
  private isConnected = false;
  private hasConnected = false;
  private retryMs = RETRY_MS;
  private readonly stopping: AbortSignal;

  constructor(
    private readonly options: ListenOptions,
    private readonly context: Pick<CommandContext, 'printEntry' | 'printStatus' | 'getInterruptSignal'>,
  ) {
    this.stopping = context.getInterruptSignal();
  }

  async run(): Promise<void> {
    const { stopping } = this;
    let failures = 0;
    while (!stopping.aborted) {
      this.isConnected = false;
      const reason = await this.followStream();
      if (stopping.aborted) return;
      failures = this.isConnected ? 1 : failures + 1;
      const waitMs = Math.max(
        Math.min(this.retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS),
        reason.retryAfterMs ?? 0,
      );
      this.context.printStatus(`${reason.text} Connecting again in ${waitMs / 1000} s.`);
      await pause(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /**
   * Opens the stream once and forwards its events. Resolves with the reason why the connection
   * ended.
   * @throws errors that a new connection would not fix, and any error before the first connection
   */
  private async followStream(): Promise<{ text: string; retryAfterMs?: number }> {
    const { api, types, state } = this.options;
    const { stopping } = this;
    try {
      for await (const block of openEventStream({ api, types, stopping }, state.lastEventId)) {
        this.reportConnected(block);
        if (!(await this.handleBlock(block)) || stopping.aborted) break;
      }
      return { text: 'The stream ended.' };
    } catch (error) {
      if (stopping.aborted) return { text: 'Stopped.' };
      if (!isTransientError(error) || !this.hasConnected) throw explainFailure(error, state.lastEventId);
      const retryAfterMs = error instanceof ApiError ? error.details.retryAfterMs : undefined;
      const text = error instanceof ApiError ? error.message : `The stream was cut (${error.message}).`;
      return { text, ...(retryAfterMs ? { retryAfterMs } : {}) };
    }
  }

  private reportConnected({ retryMs }: SseBlock): void {
    if (retryMs !== undefined) this.retryMs = retryMs;
    if (this.isConnected) return;
    const { target, state, api } = this.options;
    const { printStatus } = this.context;
    if (this.hasConnected) {
      printStatus('Connected again.');
    } else {
      const whose = api.key.startsWith('tk_test_') ? 'events of the sandbox' : 'events';
      const since = state.lastEventId === null ? 'from now on' : 'from where the last run ended';
      printStatus(`Forwarding ${whose} to ${target}, ${since}.\nSigning secret: ${state.secret}`);
    }
    this.isConnected = true;
    this.hasConnected = true;
  }

  /**
   * Forwards the event in the block, if there is one, and saves the block's id. Resolves with false
   * if the command was interrupted before the target answered the event.
   */
  private async handleBlock({ id, type, data }: SseBlock): Promise<boolean> {
    if (data !== undefined) {
      const event = { id: parseEventId(data), type: type ?? '', body: data };
      const answer = await this.forward(event);
      if (!answer) return false;
      this.forwarded += 1;
      this.context.printEntry(formatForwarded(event, answer));
    }
    if (id !== undefined && id !== this.options.state.lastEventId) await this.options.state.save(id);
    return true;
  }

  private async forward(event: StreamedEvent): Promise<ForwardResult | undefined> {
    const { stopping } = this;
    const { target, state } = this.options;
    const { printStatus } = this.context;
    const reportWaiting = () =>
      printStatus('Stopping once the current event is answered. Press Ctrl-C again to stop immediately.');
    stopping.addEventListener('abort', reportWaiting);
    const onFailure = ({ type, id }: StreamedEvent, reason: string, nextMs: number) =>
      printStatus(`${formatHead(type, id)}${reason}; trying again in ${nextMs / 1000} s`);
    return forwardEvent(event, { target, secret: state.secret, stopping, onFailure }).finally(() =>
      stopping.removeEventListener('abort', reportWaiting),
    );
  }
}

const TYPE_WIDTH = 'ai.suggestion.created'.length;

function formatForwarded({ id, type }: StreamedEvent, { status, ms, attempts }: ForwardResult): OutputEntry {
  const again = attempts > 1 ? `  attempt ${attempts}` : '';
  return {
    data: { time: new Date().toISOString(), type, id, status, ms, attempts },
    text: `${formatHead(type, id)}${status}  ${ms} ms${again}`,
  };
}

function formatHead(type: string, id: string): string {
  return `${new Date().toTimeString().slice(0, 8)}  ${type.padEnd(TYPE_WIDTH)}  ${id}  → `;
}

function parseEventId(body: string): string {
  return (JSON.parse(body) as { id: string }).id;
}

/**
 * Returns the error that ends the command. If the API does not know the last id, the command must
 * not continue: it would skip an unknown number of events.
 */
function explainFailure(error: unknown, lastEventId: string | null): unknown {
  if (error instanceof StreamInterruptedError)
    return new CliError('api_unreachable', error.message, EXIT.unreachable);
  if (!(error instanceof ApiError) || !error.details.fields?.includes('Last-Event-ID')) return error;
  return new CliError(
    'place_unknown',
    `The API does not know the event id ${lastEventId}, where the last run ended; its database may have been replaced. GET /events lists past events. Use --from-now to continue without them.`,
    EXIT.failed,
  );
}
