import type { NoticeDraft } from '../notices/store.js';
import type { WatchedEndpoint } from './health-lanes.js';

const DAY_HOURS = 24;

/** `2026-11-21 14:30 UTC` */
function formatInstant(at: string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What a mail shows of a URL: some receivers' paths are keys. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'The endpoint';
}

function lastError({ last_error: error }: WatchedEndpoint): string {
  return error ? ` The last error: ${error.replace(/\.$/, '')}.` : '';
}

const about = ({ id: entity_id }: WatchedEndpoint) => ({
  entity_type: 'webhook_endpoint' as const,
  entity_id,
});

export function failingNotice(
  endpoint: WatchedEndpoint,
  { hours, disablesAt }: { hours: number; disablesAt: string },
): NoticeDraft {
  const days = hours / DAY_HOURS;
  return {
    ...about(endpoint),
    kind: 'endpoint_failing',
    title: `A webhook endpoint has been failing for ${days === 1 ? 'a day' : `${days} days`}`,
    text: [
      `${hostOf(endpoint.url)} has accepted nothing since ${formatInstant(endpoint.failing_since as string)}.${lastError(endpoint)}`,
      `Deliveries are tried again, and nothing is lost yet. If it goes on failing, it will be disabled from ${formatInstant(disablesAt)} on.`,
      `Fix the receiver; GET /v1/webhook-deliveries?endpoint_id=${endpoint.id} shows every attempt.`,
    ].join('\n\n'),
  };
}

const MAKE_UP = (endpoint: WatchedEndpoint) =>
  `POST /v1/webhook-endpoints/${endpoint.id}/recover delivers what it missed, of the last 30 days.`;

const ENABLE = (endpoint: WatchedEndpoint) =>
  `When it is to go on, PATCH /v1/webhook-endpoints/${endpoint.id} with {"enabled": true}. ${MAKE_UP(endpoint)}`;

type MachineReason = 'failing' | 'gone' | 'receiver';

const DISABLED: Readonly<Record<MachineReason, (endpoint: WatchedEndpoint) => string[]>> = {
  failing: (endpoint) => [
    `${hostOf(endpoint.url)} was disabled, because it has accepted nothing since ${formatInstant(endpoint.failing_since ?? endpoint.now)}.${lastError(endpoint)}`,
    `It is probed from time to time, the first time in an hour, and enabled again by itself as soon as it answers a probe with 2xx. You need not wait for that. ${ENABLE(endpoint)}`,
  ],
  gone: (endpoint) => [
    `${hostOf(endpoint.url)} was disabled, because it answered 410 Gone: it asks never to be called again.`,
    ENABLE(endpoint),
  ],
  receiver: (endpoint) => [
    `${hostOf(endpoint.url)} was disabled, because its receiver asked for it by the header webhook-delivery: disable.`,
    ENABLE(endpoint),
  ],
};

export function disabledNotice(endpoint: WatchedEndpoint, reason: MachineReason): NoticeDraft {
  return {
    ...about(endpoint),
    kind: 'endpoint_disabled',
    title: 'A webhook endpoint was disabled',
    text: DISABLED[reason](endpoint).join('\n\n'),
  };
}

/** @param endpoint as it was before */
export function recoveredNotice(endpoint: WatchedEndpoint): NoticeDraft {
  const { enabled, last_success_at: success, now, url } = endpoint;
  const since = formatInstant(success ?? now);
  const text = enabled
    ? [
        `${hostOf(url)} accepted a delivery at ${since}. What failed meanwhile is tried again by itself, as long as it has attempts left.`,
      ]
    : [
        `${hostOf(url)} accepted a probe at ${since} and is enabled again. It gets what happens from now on.`,
        MAKE_UP(endpoint),
      ];
  return {
    ...about(endpoint),
    kind: 'endpoint_recovered',
    title: 'A webhook endpoint works again',
    text: text.join('\n\n'),
  };
}

export function exhaustedNotice(endpoint: WatchedEndpoint, count: number): NoticeDraft {
  const { url, id, last_exhausted_id: last } = endpoint;
  const what = count === 1 ? 'A delivery' : `${count} deliveries`;
  return {
    ...about(endpoint),
    kind: 'delivery_exhausted',
    title: `${what} to a webhook endpoint failed for good`,
    text: [
      `${what} to ${hostOf(url)} used up every attempt and will not be tried again by ${count === 1 ? 'itself' : 'themselves'}.${lastError(endpoint)}`,
      `Fix the receiver, then send again: one by POST /v1/webhook-deliveries/${last ?? '{id}'}/replay, all by POST /v1/webhook-endpoints/${id}/recover. Further ones are told of in an hour at the earliest: GET /v1/webhook-deliveries?endpoint_id=${id}&status=exhausted lists them all.`,
    ].join('\n\n'),
  };
}
