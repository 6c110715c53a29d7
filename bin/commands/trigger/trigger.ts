import { setTimeout as pause } from 'node:timers/promises';
import { OPERATIONAL_EVENT_TYPES } from '../../../shared/contracts/vocabulary.js';
import { apiAccess } from '../api-access.js';
import { type ApiAccess, ApiError, callApi } from '../api-client.js';
import type { RunCommand } from '../command.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { type ApiRecord, makeHappen, OF_THE_CLOCK, TRIGGERABLE, type TriggerableType } from './recipes.js';

/** The clock looks every 30 s, and may be busy. */
const PATIENCE_MS = 90_000;
const FIRST_PAUSE_MS = 100;
/** Asking more often would use up the minute of a small plan. */
const LONGEST_PAUSE_MS = 2000;

/** The body of an event, as far as it matters here. */
interface EventBody extends ApiRecord {
  type: string;
  data: { object: { id: string; entity_id?: string } };
}

/** `tow trigger`: makes an event happen by the calls that make it happen in earnest, and waits for it. */
export const trigger: RunCommand = async (args, { config, notice }) => {
  const type = typeOf(String(args.positionals[0]));
  const isLive = args.values.live === true;
  const api = await apiAccess(args, config(), isLive ? 'api_key' : 'sandbox_key');
  assertEnvironment(api, isLive);
  const subject = await makeHappen(type, (path, body) => post(api, path, body));
  if (OF_THE_CLOCK.includes(type)) notice('Waiting for the clock, which looks twice a minute.');
  const event = await waitForEvent(api, type, subject);
  return { data: event, text: `${event.type}  ${event.id}` };
};

function typeOf(text: string): TriggerableType {
  const type = TRIGGERABLE.find((one) => one === text);
  if (type) return type;
  if (OPERATIONAL_EVENT_TYPES.some((one) => one === text)) {
    throw usageError(
      `${text} tells how deliveries and exports go and cannot be triggered. POST /webhook-endpoints/{id}/test sends one to an endpoint.`,
    );
  }
  throw usageError(`There is no event "${text}" to trigger. There are: ${TRIGGERABLE.join(', ')}.`);
}

/** Records that nobody asked for must not get into an account in earnest by mistake. */
function assertEnvironment({ key }: ApiAccess, isLive: boolean): void {
  if (key.startsWith('tk_test_')) {
    if (isLive) throw usageError('--live needs a key that begins with tk_live_; this one is of the sandbox.');
    return;
  }
  if (!key.startsWith('tk_live_')) throw usageError('The key must be a REST key, tk_test_… or tk_live_….');
  if (isLive) return;
  throw usageError(
    'This key is of the live account, where the records would stay. Take one of its sandbox (tk_test_…), or add --live.',
  );
}

async function post(api: ApiAccess, path: string, body: unknown = {}): Promise<ApiRecord> {
  const headers = { 'content-type': 'application/json' };
  const response = await callApi(api, path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 202) return (await response.json()) as ApiRecord;
  const message = `The API has stored POST ${path} but not run it within its time. Try again when it is less busy.`;
  throw new CliError('late', message, EXIT.failed);
}

async function waitForEvent(api: ApiAccess, type: string, subject: string): Promise<EventBody> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const event = await findEvent(api, type, subject).catch(passing);
    if (event) return event;
    if (Date.now() > deadline) {
      const message = `No ${type} of ${subject} within ${PATIENCE_MS / 1000} s. Do the workers and the clock run?`;
      throw new CliError('no_event', message, EXIT.failed);
    }
    await pause(pauseMs);
  }
}

async function findEvent(api: ApiAccess, type: string, subject: string): Promise<EventBody | undefined> {
  const response = await callApi(api, `/events?type=${type}&limit=200`);
  const { data } = (await response.json()) as { data: { items: EventBody[] } };
  return data.items.find(({ data: { object } }) => object.id === subject || object.entity_id === subject);
}

/** An API that is busy or restarts is asked again. */
async function passing(error: unknown): Promise<undefined> {
  if (!(error instanceof ApiError && error.isPassing)) throw error;
  await pause(Math.min(error.refusal.retryAfterMs ?? 0, PATIENCE_MS));
}
