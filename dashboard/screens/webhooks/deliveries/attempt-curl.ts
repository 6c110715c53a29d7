import type { Schemas } from '../../../api/records';
import { quote } from '../../../parts/values/curl';
import type { EventBody } from './event-body';

/**
 * Returns the curl command that repeats an attempt with the same headers. Its timestamp and
 * signature are those of the attempt, so receivers refuse the command after five minutes.
 */
export function buildAttemptCurl(attempt: Schemas['WebhookAttempt'], body: EventBody): string {
  const headers = Object.entries(attempt.request_headers).map(
    ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
  );
  const data = 'text' in body ? [`--data-binary ${quote(body.text)}`] : ['--data-binary @body.json'];
  return [`curl -X POST ${quote(attempt.url)}`, ...headers, ...data].join(' \\\n  ');
}
