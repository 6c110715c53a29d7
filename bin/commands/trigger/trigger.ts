import { setTimeout as pause } from 'node:timers/promises';
import { OPERATIONAL_EVENT_TYPES } from '../../../shared/contracts/vocabulary.js';
import { resolveApiAccess } from '../../cli/api-access.js';
import { type ApiAccess, ApiError, callApi } from '../../cli/api-client.js';
import type { RunCommand } from '../../cli/command.js';
import { CliError, EXIT, usageError } from '../../cli/exit-codes.js';
import {
  type ApiRecord,
  CLOCK_EVENT_TYPES,
  causeEvent,
  TRIGGERABLE_TYPES,
  type TriggerableType,
} from './recipes.js';

/**
 * The longest time to wait for the event. The clock process looks for due work every 30 s, or later
 * if it is busy.
 */
const MAX_WAIT_MS = 90_000;
const FIRST_PAUSE_MS = 100;
/** With shorter pauses, the requests could use up the rate limit of a small tier. */
const LONGEST_PAUSE_MS = 2000;

interface EventBody extends ApiRecord {
  type: string;
  data: { object: { id: string; entity_id?: string } };
}

/** `tow trigger`: causes an event through normal API calls and waits for it. */
export const trigger: RunCommand = async (args, { config, printStatus }) => {
  const type = parseType(String(args.positionals[0]));
  const isLive = args.values.live === true;
  const api = await resolveApiAccess(args, config(), isLive ? 'api_key' : 'sandbox_key');
  assertEnvironment(api, isLive);
  const subject = await causeEvent(type, (path, body) => post(api, path, body));
  if (CLOCK_EVENT_TYPES.includes(type)) printStatus('Waiting for the clock, which checks twice a minute.');
  const event = await waitForEvent(api, type, subject);
  return { data: event, text: `${event.type}  ${event.id}` };
};

function parseType(text: string): TriggerableType {
  const type = TRIGGERABLE_TYPES.find((one) => one === text);
  if (type) return type;
  if (OPERATIONAL_EVENT_TYPES.some((one) => one === text)) {
    throw usageError(
      `${text} reports on deliveries or exports and cannot be triggered. POST /webhook-endpoints/{id}/test sends a test event to an endpoint.`,
    );
  }
  throw usageError(
    `"${text}" is not an event that can be triggered. Choose one of: ${TRIGGERABLE_TYPES.join(', ')}.`,
  );
}

/**
 * Refuses a live key without --live, so that no test records are created in a live account by
 * mistake.
 */
function assertEnvironment({ key }: ApiAccess, isLive: boolean): void {
  if (key.startsWith('tk_test_')) {
    if (isLive)
      throw usageError('--live needs a key that begins with tk_live_; this key belongs to a sandbox.');
    return;
  }
  if (!key.startsWith('tk_live_')) throw usageError('The key must be a REST key, tk_test_… or tk_live_….');
  if (isLive) return;
  throw usageError(
    'This key belongs to a live account, where the records would remain. Use a sandbox key (tk_test_…), or add --live.',
  );
}

async function post(api: ApiAccess, path: string, body: unknown = {}): Promise<ApiRecord> {
  const headers = { 'content-type': 'application/json' };
  const response = await callApi(api, path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 202) return (await response.json()) as ApiRecord;
  const message = `The API stored POST ${path} but has not run it in time. Try again when the API is less busy.`;
  throw new CliError('late', message, EXIT.failed);
}

async function waitForEvent(api: ApiAccess, type: string, subject: string): Promise<EventBody> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const event = await findEvent(api, type, subject).catch(waitAfterTransientError);
    if (event) return event;
    if (Date.now() > deadline) {
      const message = `No ${type} of ${subject} within ${MAX_WAIT_MS / 1000} s. Are the workers and the clock running?`;
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

/** If the API is busy or restarting, waits so that the caller can try again. */
async function waitAfterTransientError(error: unknown): Promise<undefined> {
  if (!(error instanceof ApiError && error.isTransient)) throw error;
  await pause(Math.min(error.details.retryAfterMs ?? 0, MAX_WAIT_MS));
}
