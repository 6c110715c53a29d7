import { jsonObject, jsonTime } from '../../contracts/resource.js';

const listMembers = (alias: string) => [
  'id',
  'invoice_id',
  'channel',
  'recipient',
  'subject',
  'state',
  'provider',
  'error',
  'attempts',
  {
    name: 'next_attempt_at',
    sql: `case when ${alias}.state = 'queued' then ${jsonTime(alias, 'attempt_after').sql} end`,
  },
  jsonTime(alias, 'sent_at'),
  jsonTime(alias, 'link_expires_at'),
  jsonTime(alias, 'link_revoked_at'),
  jsonTime(alias, 'created_at'),
  jsonTime(alias, 'updated_at'),
];

/** A message with its body. */
export function messageRepresentation(alias: string): string {
  return jsonObject(alias, [...listMembers(alias), 'body_text', 'body_html']);
}

/** A message in a list: without its body. */
export function messageListRepresentation(alias: string): string {
  return jsonObject(alias, listMembers(alias));
}
