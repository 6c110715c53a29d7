import type { NoticeDraft } from '../../notices/store.js';
import type { WatchedEndpoint } from './watched-endpoints.js';

const DAY_HOURS = 24;

/** Formats a time as `2026-11-21 14:30 UTC`. */
function formatInstant(at: string): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Returns the host of a URL. Mails do not show the path, because some receivers put keys into it.
 */
function formatHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'The endpoint';
}

function formatLastError({ last_error: error }: WatchedEndpoint): string {
  return error ? ` The last error: ${error.replace(/\.$/, '')}.` : '';
}

const buildEntityFields = ({ id: entity_id }: WatchedEndpoint) => ({
  entity_type: 'webhook_endpoint' as const,
  entity_id,
});

export function buildFailingNotice(
  endpoint: WatchedEndpoint,
  { hours, disablesAt }: { hours: number; disablesAt: string },
): NoticeDraft {
  const days = hours / DAY_HOURS;
  return {
    ...buildEntityFields(endpoint),
    kind: 'endpoint_failing',
    title: `A webhook endpoint has been failing for ${days === 1 ? 'a day' : `${days} days`}`,
    text: [
      `${formatHost(endpoint.url)} has accepted no delivery since ${formatInstant(endpoint.failing_since as string)}.${formatLastError(endpoint)}`,
      `These deliveries are retried, so none is lost yet. If the endpoint keeps failing, it will be disabled after ${formatInstant(disablesAt)}.`,
      `Fix the receiver. GET /v1/webhook-deliveries?endpoint_id=${endpoint.id} shows every attempt.`,
    ].join('\n\n'),
  };
}

const explainRecover = (endpoint: WatchedEndpoint) =>
  `POST /v1/webhook-endpoints/${endpoint.id}/recover delivers the events of the last 30 days that it missed.`;

const explainEnable = (endpoint: WatchedEndpoint) =>
  `To enable it, PATCH /v1/webhook-endpoints/${endpoint.id} with {"enabled": true}. ${explainRecover(endpoint)}`;

type AutomaticReason = 'failing' | 'gone' | 'receiver';

const DISABLED_PARAGRAPHS: Readonly<Record<AutomaticReason, (endpoint: WatchedEndpoint) => string[]>> = {
  failing: (endpoint) => [
    `${formatHost(endpoint.url)} was disabled, because it has accepted no delivery since ${formatInstant(endpoint.failing_since ?? endpoint.now)}.${formatLastError(endpoint)}`,
    `The service sends it probes, the first one in an hour, and enables it again as soon as it answers a probe with 2xx. You need not wait for that. ${explainEnable(endpoint)}`,
  ],
  gone: (endpoint) => [
    `${formatHost(endpoint.url)} was disabled, because it answered 410 Gone: it asks never to be called again.`,
    explainEnable(endpoint),
  ],
  receiver: (endpoint) => [
    `${formatHost(endpoint.url)} was disabled, because its receiver sent the header webhook-delivery: disable.`,
    explainEnable(endpoint),
  ],
};

export function buildDisabledNotice(endpoint: WatchedEndpoint, reason: AutomaticReason): NoticeDraft {
  return {
    ...buildEntityFields(endpoint),
    kind: 'endpoint_disabled',
    title: 'A webhook endpoint was disabled',
    text: DISABLED_PARAGRAPHS[reason](endpoint).join('\n\n'),
  };
}

/** @param endpoint the endpoint as it was before its recovery */
export function buildRecoveredNotice(endpoint: WatchedEndpoint): NoticeDraft {
  const { enabled, last_success_at: successAt, now, url } = endpoint;
  const since = formatInstant(successAt ?? now);
  const text = enabled
    ? [
        `${formatHost(url)} accepted a delivery at ${since}. Failed deliveries that have attempts left are retried.`,
      ]
    : [
        `${formatHost(url)} accepted a probe at ${since} and is enabled again. It receives events from now on.`,
        explainRecover(endpoint),
      ];
  return {
    ...buildEntityFields(endpoint),
    kind: 'endpoint_recovered',
    title: 'A webhook endpoint works again',
    text: text.join('\n\n'),
  };
}

export function buildExhaustedNotice(endpoint: WatchedEndpoint, count: number): NoticeDraft {
  const { url, id, last_exhausted_id: last } = endpoint;
  const subject = count === 1 ? 'A delivery' : `${count} deliveries`;
  return {
    ...buildEntityFields(endpoint),
    kind: 'delivery_exhausted',
    title: `${subject} to a webhook endpoint failed for good`,
    text: [
      `${subject} to ${formatHost(url)} used up every attempt and will not be retried.${formatLastError(endpoint)}`,
      `Fix the receiver, then send again: one by POST /v1/webhook-deliveries/${last ?? '{id}'}/replay, all by POST /v1/webhook-endpoints/${id}/recover. The next notice of this kind comes in an hour at the earliest. GET /v1/webhook-deliveries?endpoint_id=${id}&status=exhausted lists them all.`,
    ].join('\n\n'),
  };
}
