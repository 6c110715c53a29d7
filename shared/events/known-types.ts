/** Every type of event that an endpoint may subscribe to: the eight of the specification, exports, and what webhooks tell of themselves (decisions 8). */
export const KNOWN_EVENT_TYPES: readonly string[] = [
  'invoice.created',
  'invoice.sent',
  'invoice.paid',
  'invoice.overdue',
  'work_order.created',
  'work_order.completed',
  'dispatch.assigned',
  'ai.suggestion.created',
  'export.completed',
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.recovered',
  'delivery.exhausted',
];
