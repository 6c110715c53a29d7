import { setTimeout as pause } from 'node:timers/promises';
import { validate } from '../../../shared/contracts/validate.js';
import { eventStreamQuery } from '../../../shared/resources/events/schema.js';
import { apiAccess, httpUrl } from '../api-access.js';
import { type ApiAccess, ApiError } from '../api-client.js';
import type { CommandArgs, CommandContext, RunCommand } from '../command.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { Line } from '../output.js';
import { isPassing, openStream, StreamCut } from './event-stream.js';
import { type Answer, forward, type StreamedEvent } from './forwarder.js';
import { ListenState } from './listen-state.js';
import type { SseBlock } from './sse-parser.js';

/** Until the stream tells its own. */
const RETRY_MS = 2000;
const LONGEST_RETRY_MS = 15_000;

/** `tow listen`: the account's events as signed webhooks to an address of this machine, until it is told to stop. */
export const listen: RunCommand = async (args, context) => {
  const { values } = args;
  const target = httpUrl('--forward-to', String(values['forward-to']));
  const types = filtersOf(args);
  const config = context.config();
  const api = await apiAccess(args, config, values.sandbox === true ? 'sandbox_key' : 'api_key');
  const { key } = api;
  if (values['print-secret'] === true) {
    const state =
      (await ListenState.find(config.dataDir, key, target)) ??
      (await ListenState.take(config.dataDir, { key, target }, context.lifecycle));
    return { data: { forward_to: target, secret: state.secret }, text: state.secret };
  }
  const state = await ListenState.take(config.dataDir, { key, target }, context.lifecycle);
  if (values['from-now'] === true) await state.save(null);
  const listener = new Listener({ api, target, types, state }, context);
  await listener.run();
  const { forwarded } = listener;
  return {
    data: { forwarded, last_event_id: state.lastEventId },
    text: `Stopped. Events forwarded: ${forwarded}; the next run goes on from here.`,
  };
};

function filtersOf({ values }: CommandArgs): string | undefined {
  return validate<{ types?: string }>(eventStreamQuery, { types: values.events }).types;
}

interface ListenOptions {
  api: ApiAccess;
  target: string;
  types: string | undefined;
  state: ListenState;
}

/** Takes the account's events one at a time, in their order; what was answered is never asked for again. */
class Listener {
  forwarded = 0;
  private isConnected = false;
  private hasConnected = false;
  private retryMs = RETRY_MS;
  private readonly stopping: AbortSignal;

  constructor(
    private readonly options: ListenOptions,
    private readonly context: Pick<CommandContext, 'say' | 'notice' | 'interruption'>,
  ) {
    this.stopping = context.interruption();
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
      this.context.notice(`${reason.text} Connecting again in ${waitMs / 1000} s.`);
      await pause(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  /** One connection, to its end. Resolves with why it ended. @throws what another connection would not mend */
  private async followStream(): Promise<{ text: string; retryAfterMs?: number }> {
    const { api, types, state } = this.options;
    const { stopping } = this;
    try {
      for await (const block of openStream({ api, types, stopping }, state.lastEventId)) {
        this.tellConnected(block);
        if (!(await this.take(block)) || stopping.aborted) break;
      }
      return { text: 'The stream ended.' };
    } catch (error) {
      if (stopping.aborted) return { text: 'Stopped.' };
      if (!isPassing(error) || !this.hasConnected) throw explained(error, state.lastEventId);
      const retryAfterMs = error instanceof ApiError ? error.refusal.retryAfterMs : undefined;
      const text = error instanceof ApiError ? error.message : `The stream was cut (${error.message}).`;
      return { text, ...(retryAfterMs ? { retryAfterMs } : {}) };
    }
  }

  private tellConnected({ retryMs }: SseBlock): void {
    if (retryMs !== undefined) this.retryMs = retryMs;
    if (this.isConnected) return;
    const { target, state, api } = this.options;
    const { notice } = this.context;
    if (this.hasConnected) {
      notice('Connected again.');
    } else {
      const whose = api.key.startsWith('tk_test_') ? 'events of the sandbox' : 'events';
      const since = state.lastEventId === null ? 'from now on' : 'from where the last run ended';
      notice(`Forwarding ${whose} to ${target}, ${since}.\nSigning secret: ${state.secret}`);
    }
    this.isConnected = true;
    this.hasConnected = true;
  }

  /** False when it was told to stop before the event was answered. */
  private async take({ id, type, data }: SseBlock): Promise<boolean> {
    if (data !== undefined) {
      const event = { id: idOf(data), type: type ?? '', body: data };
      const answer = await this.forward(event);
      if (!answer) return false;
      this.forwarded += 1;
      this.context.say(lineOf(event, answer));
    }
    if (id !== undefined && id !== this.options.state.lastEventId) await this.options.state.save(id);
    return true;
  }

  private async forward(event: StreamedEvent): Promise<Answer | undefined> {
    const { stopping } = this;
    const { target, state } = this.options;
    const { notice } = this.context;
    const tellWaiting = () => notice('Stopping once the event in hand is answered; the next time at once.');
    stopping.addEventListener('abort', tellWaiting);
    const onFailure = ({ type, id }: StreamedEvent, reason: string, nextMs: number) =>
      notice(`${headOf(type, id)}${reason}; trying again in ${nextMs / 1000} s`);
    return forward(event, { target, secret: state.secret, stopping, onFailure }).finally(() =>
      stopping.removeEventListener('abort', tellWaiting),
    );
  }
}

const TYPE_WIDTH = 'ai.suggestion.created'.length;

function lineOf({ id, type }: StreamedEvent, { status, ms, attempts }: Answer): Line {
  const again = attempts > 1 ? `  attempt ${attempts}` : '';
  return {
    data: { time: new Date().toISOString(), type, id, status, ms, attempts },
    text: `${headOf(type, id)}${status}  ${ms} ms${again}`,
  };
}

function headOf(type: string, id: string): string {
  return `${new Date().toTimeString().slice(0, 8)}  ${type.padEnd(TYPE_WIDTH)}  ${id}  → `;
}

function idOf(body: string): string {
  return (JSON.parse(body) as { id: string }).id;
}

/** Why it does not go on; where the last run ended is unknown to the API, going on would skip what nobody can count. */
function explained(error: unknown, lastEventId: string | null): unknown {
  if (error instanceof StreamCut) return new CliError('api_unreachable', error.message, EXIT.unreachable);
  if (!(error instanceof ApiError) || !error.refusal.fields?.includes('Last-Event-ID')) return error;
  return new CliError(
    'place_unknown',
    `The API does not know ${lastEventId}, where the last run ended; it may have another database by now. GET /events lists what happened. Start with --from-now to go on without it.`,
    EXIT.failed,
  );
}
