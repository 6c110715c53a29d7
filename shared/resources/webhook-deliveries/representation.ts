import { jsonObject, jsonTime } from '../../contracts/resource.js';

export function webhookDeliveryRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'endpoint_id',
    'event_id',
    'event_type',
    'trigger',
    'replay_id',
    'replay_of',
    'status',
    'attempts',
    jsonTime(alias, 'next_attempt_at'),
    jsonTime(alias, 'last_attempt_at'),
    'last_response_status',
    'last_error',
    jsonTime(alias, 'completed_at'),
    jsonTime(alias, 'created_at'),
  ]);
}

export function webhookAttemptRepresentation(alias: string): string {
  return jsonObject(alias, [
    'id',
    'delivery_id',
    'endpoint_id',
    'attempt',
    jsonTime(alias, 'started_at'),
    'url',
    'request_headers',
    'response_status',
    'response_headers',
    'response_body',
    'response_truncated',
    'error_class',
    'error_message',
    'remote_address',
    'connect_ms',
    'first_byte_ms',
    'total_ms',
  ]);
}
