import { ERROR_STATUS, type ErrorCode } from '../platform/errors.js';
import { namedEnum } from './named-enum.js';
import { ROLES } from './roles.js';
import {
  ACTOR_TYPES,
  AGENT_SCOPES,
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  AUDIT_OUTCOMES,
  AUDIT_SOURCES,
  BILLING_STATUSES,
  DEFECT_SEVERITIES,
  DRIVER_STATUSES,
  DUTY_CLASSES,
  ENVIRONMENTS,
  INSPECTION_ITEM_STATES,
  INSPECTION_KINDS,
  INSPECTION_RESULTS,
  INVOICE_STATUSES,
  PAYMENT_METHODS,
  PERMISSIONS,
  SETTABLE_TRUCK_STATUSES,
  TIERS,
  TRUCK_STATUSES,
  WORK_ORDER_STATUSES,
} from './vocabulary.js';

export const invoiceStatus = namedEnum('InvoiceStatus', INVOICE_STATUSES, {
  draft: 'Being prepared. Line items may change, and the customer sees nothing yet',
  needs_review: 'A person must check it before it can be approved. Line items may change',
  approved: 'Ready to be sent. Line items are locked',
  sending: 'Released to the customer and not viewed yet. `delivery.state` says whether the message has left',
  sent_to_roadsync: 'Submitted to the motor-club billing partner',
  viewed: 'The customer has opened it',
  partially_paid: 'Some of the total is paid',
  paid: 'The whole total is paid',
  overdue: 'Released and past its due date plus the days of grace, with a balance left',
  disputed: 'The customer or the motor club objects',
  failed: 'The message could not be delivered, or the partner denied it. `delivery.reason` says why',
  void: 'Annulled after its release. It keeps its number and can no longer change',
  cancelled: 'Abandoned before its release. It keeps its number and can no longer change',
});

export const workOrderStatus = namedEnum('WorkOrderStatus', WORK_ORDER_STATUSES, {
  pending: 'Waits for a truck',
  dispatched: 'A truck is assigned',
  in_progress: 'The driver has started the work',
  completed: 'The work is done and can be invoiced',
  cancelled: 'Cancelled. `cancel_reason` says why',
});

export const billingStatus = namedEnum('BillingStatus', BILLING_STATUSES, {
  unbilled: 'The work order is not completed and has no invoice',
  ready_to_bill: 'The work order has ended, may be billed and has no invoice',
  invoiced: 'An invoice exists and is not released yet',
  billed: 'An invoice is released',
  partially_paid: 'Its invoice is paid in part',
  paid: 'Its invoice is paid',
  disputed: 'Its invoice is disputed',
  not_billable: 'The work order was cancelled without a charge',
});

export const paymentMethod = namedEnum('PaymentMethod', PAYMENT_METHODS, {
  cash: 'Cash',
  check: 'A paper check',
  card: 'A credit or debit card',
  ach: 'A bank transfer over ACH',
  motor_club: 'A payment by a motor club',
  other: 'Anything else',
});

export const truckStatus = namedEnum('TruckStatus', TRUCK_STATUSES, {
  available: 'Free for a work order',
  assigned: 'Has a work order and has not left yet',
  en_route: 'On the way to the vehicle',
  on_scene: 'At the vehicle',
  towing: 'Has the vehicle hooked or loaded',
  returning: 'Has delivered the vehicle and is on the way back',
  off_duty: 'Not driven by anyone now',
  out_of_service: 'Must not be dispatched',
});

export const settableTruckStatus = namedEnum('SettableTruckStatus', SETTABLE_TRUCK_STATUSES, {
  available: 'Free for a work order',
  returning: 'On the way back from a work order',
  off_duty: 'Not driven by anyone now',
  out_of_service: 'Must not be dispatched',
});

export const dutyClass = namedEnum('DutyClass', DUTY_CLASSES, {
  light: 'Cars and light trucks',
  medium: 'Delivery trucks and motor homes',
  heavy: 'Buses, tractors and trailers',
});

export const driverStatus = namedEnum('DriverStatus', DRIVER_STATUSES, {
  active: 'May be assigned to trucks and work orders',
  inactive: 'No longer drives. Past work orders keep the name',
});

export const inspectionKind = namedEnum('InspectionKind', INSPECTION_KINDS, {
  pre_trip: 'Of the truck, before a shift',
  post_trip: 'Of the truck, after a shift',
  vehicle_condition: "Of the customer's vehicle",
});

export const inspectionItemState = namedEnum('InspectionItemState', INSPECTION_ITEM_STATES, {
  ok: 'In order',
  attention: 'Works, but should be checked',
  fail: 'Does not work',
  na: 'Does not apply',
});

export const defectSeverity = namedEnum('DefectSeverity', DEFECT_SEVERITIES, {
  minor: 'Can wait for the next service',
  major: 'Must be repaired soon',
  out_of_service: 'The truck must not be dispatched until the defect is resolved',
});

export const inspectionResult = namedEnum('InspectionResult', INSPECTION_RESULTS, {
  pass: 'Nothing failed',
  pass_with_defects: 'An item failed, or a defect is unresolved',
  out_of_service: 'A defect that takes the truck out of service is unresolved',
});

export const approvalKind = namedEnum('ApprovalKind', APPROVAL_KINDS, {
  agent_write: "An agent's write that reached `agent_gate_cents` or `agent_day_cents`",
  invoice_approval: 'An agent proposes to approve an invoice',
});

export const approvalStatus = namedEnum('ApprovalStatus', APPROVAL_STATUSES, {
  pending: 'Waits for a person',
  approved: 'A person approved it, and the write has run',
  rejected: 'A person rejected it. Nothing was stored',
  expired: 'Nobody decided in time. Nothing was stored',
  cancelled: 'No longer needed. `note` says why',
});

export const actorType = namedEnum('ActorType', ACTOR_TYPES, {
  user: 'A signed-in person',
  agent: 'An agent key',
  api_key: 'An API key',
  system: 'The service itself, such as its clock',
  integration: 'A connected vendor',
});

export const auditOutcome = namedEnum('AuditOutcome', AUDIT_OUTCOMES, {
  ok: 'Done',
  denied: 'Refused because a permission or scope is missing',
  failed: 'Refused for any other reason',
  dry_run: 'Checked only. Nothing was stored',
  held: 'Waits for the approval of a person',
});

export const auditSource = namedEnum('AuditSource', AUDIT_SOURCES, {
  rest: 'REST, with a key',
  mcp: 'An agent tool',
  dashboard: 'REST, by a signed-in person',
  webhook: 'A call from a vendor',
  job: 'The service itself, in the background',
});

export const tier = namedEnum('Tier', TIERS, {
  starter: '60 calls a minute and 1,000 an hour, unless the operator set other limits',
  standard: '300 calls a minute and 5,000 an hour, unless the operator set other limits',
  premium: '1,000 calls a minute and 20,000 an hour, unless the operator set other limits',
});

export const environment = namedEnum('Environment', ENVIRONMENTS, {
  live: 'The live account',
  sandbox: 'The test twin of the live account. No mail, text or charge leaves it',
});

export const role = namedEnum('Role', ROLES, {
  owner: 'Every permission; alone may make, change or deactivate owners',
  admin: 'Every permission',
  dispatcher: 'The permissions read, write and approve',
  bookkeeper: 'The permissions read, write and approve',
  driver: 'The permissions read and write',
  viewer: 'The permission read',
});

export const permission = namedEnum('Permission', PERMISSIONS, {
  read: 'Read every record',
  write: 'Create and change records',
  approve: 'Approve, send and void invoices, dispatch and cancel work orders, refund payments',
  admin: 'Manage keys, people, webhooks, settings and exports',
  club_offers:
    "For a motor club's key, alone: offer jobs, and read and withdraw its own offers. It reads nothing else",
});

export const agentScope = namedEnum('AgentScope', AGENT_SCOPES, {
  read_invoices: 'Read invoices',
  write_invoices_draft: 'Create and change draft invoices',
  read_work_orders: 'Read work orders',
  write_work_orders: 'Create work orders',
  read_customers: 'Read customers',
  read_dispatch: 'Read the dispatch board',
  read_audit: 'Read the audit log',
  propose_approvals: 'Ask people to approve invoices',
});

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

export const errorCode = namedEnum(
  'ErrorCode',
  ERROR_CODES,
  Object.fromEntries(ERROR_CODES.map((code) => [code, `HTTP ${ERROR_STATUS[code]}`])) as Record<
    ErrorCode,
    string
  >,
);
