/**
 * SERVICE_TYPES, LINE_ITEM_CATEGORIES, UNIT_TYPES, COMPANY_TYPES, PHOTO_SLOTS and PHOTO_PHASES list
 * the published values of open vocabularies. Clients may also send other slugs (docs/decisions.md
 * §2). Every other list in this file is complete (statuses: docs/specification.md §3).
 */
export const SERVICE_TYPES = [
  'tow',
  'light_duty_tow',
  'medium_duty_tow',
  'heavy_duty_tow',
  'motorcycle_tow',
  'flatbed_tow',
  'accident_tow',
  'impound_tow',
  'private_property_tow',
  'secondary_tow',
  'transport',
  'recovery',
  'winch_out',
  'load_shift',
  'roadside_service',
  'jump_start',
  'battery_replacement',
  'lockout',
  'key_made',
  'tire_change',
  'fuel_delivery',
  'mobile_mechanic',
  'other',
] as const;

export const LINE_ITEM_CATEGORIES = [
  'tow',
  'hook_up',
  'mileage',
  'winching',
  'recovery',
  'labor',
  'wait_time',
  'roadside',
  'storage',
  'impound',
  'gate_fee',
  'after_hours',
  'equipment',
  'cleanup',
  'fuel',
  'fuel_surcharge',
  'admin',
  'notification',
  'lien',
  'goa',
  'discount',
  'adjustment',
  'other',
] as const;

/** Categories whose unit price may be negative (docs/decisions.md §3, Money). */
export const NEGATIVE_PRICE_CATEGORIES: readonly string[] = ['discount', 'adjustment'];

export const UNIT_TYPES = ['each', 'flat', 'mile', 'hour', 'quarter_hour', 'day', 'gallon'] as const;

export const COMPANY_TYPES = [
  'cash',
  'motor_club',
  'insurance',
  'dealership',
  'repair_shop',
  'body_shop',
  'fleet',
  'police',
  'municipality',
  'property_management',
  'rental',
  'transport',
  'auction',
  'other',
] as const;

export const INVOICE_STATUSES = [
  'draft',
  'needs_review',
  'approved',
  'sending',
  'sent_to_roadsync',
  'viewed',
  'partially_paid',
  'paid',
  'overdue',
  'disputed',
  'failed',
  'void',
  'cancelled',
] as const;

export const WORK_ORDER_STATUSES = [
  'pending',
  'dispatched',
  'in_progress',
  'completed',
  'cancelled',
] as const;
/**
 * In these statuses, a driver works on the work order and reports steps, and the driver's link
 * opens.
 */
export const ACTIVE_STATUSES: readonly (typeof WORK_ORDER_STATUSES)[number][] = ['dispatched', 'in_progress'];

export const BILLING_STATUSES = [
  'unbilled',
  'ready_to_bill',
  'invoiced',
  'billed',
  'partially_paid',
  'paid',
  'disputed',
  'not_billable',
] as const;

export const PAYMENT_METHODS = ['cash', 'check', 'card', 'ach', 'motor_club', 'other'] as const;

/**
 * A person or key sets the statuses in SETTABLE_TRUCK_STATUSES. The truck's work order determines
 * the other statuses.
 */
export const TRUCK_STATUSES = [
  'available',
  'assigned',
  'en_route',
  'on_scene',
  'towing',
  'returning',
  'off_duty',
  'out_of_service',
] as const;

export const SETTABLE_TRUCK_STATUSES = ['available', 'returning', 'off_duty', 'out_of_service'] as const;

export const DUTY_CLASSES = ['light', 'medium', 'heavy'] as const;

export const DRIVER_STATUSES = ['active', 'inactive'] as const;

export const INSPECTION_KINDS = ['pre_trip', 'post_trip', 'vehicle_condition'] as const;
export const INSPECTION_RESULTS = ['pass', 'pass_with_defects', 'out_of_service'] as const;
export const INSPECTION_ITEM_STATES = ['ok', 'attention', 'fail', 'na'] as const;
export const DEFECT_SEVERITIES = ['minor', 'major', 'out_of_service'] as const;

/** The sides of the vehicle that a photo shows. Clients may also send other values. */
export const PHOTO_SLOTS = [
  'front',
  'rear',
  'driver_side',
  'passenger_side',
  'interior',
  'odometer',
  'damage',
  'other',
] as const;
export const PHOTO_PHASES = ['before', 'hooked', 'after', 'other'] as const;

export const APPROVAL_KINDS = ['agent_write', 'invoice_approval'] as const;
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const;
/** Actors, results and sources in audit entries (docs/decisions.md §9). */
export const ACTOR_TYPES = ['user', 'agent', 'api_key', 'system', 'integration'] as const;
export const AUDIT_OUTCOMES = ['ok', 'denied', 'failed', 'dry_run', 'held'] as const;
export const AUDIT_SOURCES = ['rest', 'mcp', 'dashboard', 'webhook', 'job'] as const;

export const TIERS = ['starter', 'standard', 'premium'] as const;

export const ENVIRONMENTS = ['live', 'sandbox'] as const;

/** docs/decisions.md §6 explains the permissions. A motor club's key has `club_offers` alone. */
export const ACCOUNT_PERMISSIONS = ['read', 'write', 'approve', 'admin'] as const;
export const PERMISSIONS = [...ACCOUNT_PERMISSIONS, 'club_offers'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** docs/specification.md §5 lists the scopes. */
export const AGENT_SCOPES = [
  'read_invoices',
  'write_invoices_draft',
  'read_work_orders',
  'write_work_orders',
  'read_customers',
  'read_dispatch',
  'read_audit',
  'propose_approvals',
] as const;
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** The events about motor clubs' offers. An endpoint of a club gets no other events. */
const CLUB_OFFER_EVENT_TYPES = [
  'club_offer.created',
  'club_offer.accepted',
  'club_offer.refused',
  'club_offer.expired',
  'club_offer.confirmed',
  'club_offer.withdrawn',
  'club_offer.status_changed',
] as const;

/** docs/specification.md §6 lists these events. */
export const BUSINESS_EVENT_TYPES = [
  'invoice.created',
  'invoice.sent',
  'invoice.paid',
  'invoice.overdue',
  'work_order.created',
  'work_order.completed',
  'dispatch.assigned',
  'ai.suggestion.created',
  'message.received',
  'payout.paid',
  'payout.failed',
  ...CLUB_OFFER_EVENT_TYPES,
] as const;
/** Events about the service's own work (docs/decisions.md §8). */
export const OPERATIONAL_EVENT_TYPES = [
  'endpoint.failing',
  'endpoint.disabled',
  'endpoint.recovered',
  'delivery.exhausted',
  'export.completed',
] as const;
/** shared/resources/event-types/catalogue.ts describes each type. */
export const EVENT_TYPES = [...BUSINESS_EVENT_TYPES, ...OPERATIONAL_EVENT_TYPES] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** `queued` and `running` are unfinished (docs/decisions.md §9, Export). */
export const EXPORT_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled', 'expired'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];
