/* Made from the Joi schemas by `npm run generate`. Do not edit. */

export type AgentScope =
  | "read_invoices"
  | "write_invoices_draft"
  | "read_work_orders"
  | "write_work_orders"
  | "read_customers"
  | "read_dispatch"
  | "read_audit"
  | "propose_approvals";
export type Permission = "read" | "write" | "approve" | "admin" | "club_offers";
export type ApprovalKind = "agent_write" | "invoice_approval";
export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired" | "cancelled";
export type ActorType = "user" | "agent" | "api_key" | "system" | "integration";
export type AuditOutcome = "ok" | "denied" | "failed" | "dry_run" | "held";
export type AuditSource = "rest" | "mcp" | "dashboard" | "webhook" | "job";
export type AutopayAttemptStatus = "charging" | "processing" | "succeeded" | "failed" | "cancelled";
export type ClaimStatus =
  "queued" | "submitted" | "accepted" | "paid" | "denied" | "rebilling" | "short_paid" | "expired" | "withdrawn";
export type ClubAnswer = "accepted" | "denied" | "paid";
export type ClubOfferStatus = "received" | "accepted" | "refused" | "expired" | "confirmed" | "withdrawn";
export type ClubRefusalReason =
  "no_truck" | "too_far" | "wrong_equipment" | "price" | "outside_hours" | "unsafe" | "other";
export type ClubProgress =
  | "waiting"
  | "dispatched"
  | "en_route"
  | "in_progress"
  | "on_scene"
  | "hooked"
  | "towing"
  | "at_destination"
  | "cleared"
  | "completed"
  | "cancelled";
export type ClubWithdrawalReason = "cancelled" | "goa";
export type ChoiceSubject = "account" | "tax";
export type VendorKind = "accounting" | "payments" | "motor_club" | "messaging" | "telematics";
export type ConnectionStatus = "pending" | "active" | "paused" | "needs_reauth" | "failing" | "revoked";
export type ConnectionActionName = "test" | "sync" | "pause" | "resume" | "reconnect" | "disconnect";
export type OutboundOperationState = "due" | "doing" | "done" | "waiting" | "dead";
export type SyncRunState = "succeeded" | "failed";
export type DutyClass = "light" | "medium" | "heavy";
export type AutopayTime = "release" | "due_date";
export type DisputeStatus = "open" | "won" | "lost";
export type DriverStatus = "active" | "inactive";
export type Environment = "live" | "sandbox";
export type ExportResource = "invoices" | "customers" | "work_orders" | "inspections" | "all";
export type ExportFormat = "csv" | "json" | "ndjson" | "dump";
export type ExportStatus = "queued" | "running" | "completed" | "failed" | "cancelled" | "expired";
export type ExportCadence = "daily" | "weekly" | "monthly";
export type ExportPeriod = "all" | "previous";
export type FactorKind = "totp" | "passkey" | "recovery_codes";
export type ImpoundStatus = "stored" | "hold" | "pending_release" | "released" | "lien" | "auction" | "disposed";
export type PatchableImpoundStatus = "stored" | "pending_release" | "lien" | "auction" | "disposed";
export type ReleaseKind =
  "owner" | "insurance" | "lienholder" | "no_charge" | "surrendered" | "junked" | "bill_account";
export type InspectionKind = "pre_trip" | "post_trip" | "vehicle_condition";
export type InspectionItemState = "ok" | "attention" | "fail" | "na";
export type DefectSeverity = "minor" | "major" | "out_of_service";
export type InspectionResult = "pass" | "pass_with_defects" | "out_of_service";
export type Role = "owner" | "admin" | "dispatcher" | "bookkeeper" | "driver" | "viewer";
export type InvitationStatus = "open" | "accepted" | "revoked" | "expired";
export type DeliveryState = "queued" | "sent" | "failed";
export type InvoiceStatus =
  | "draft"
  | "needs_review"
  | "approved"
  | "sending"
  | "sent_to_roadsync"
  | "viewed"
  | "partially_paid"
  | "paid"
  | "overdue"
  | "disputed"
  | "failed"
  | "void"
  | "cancelled";
export type InvoiceActionName = "approve" | "send" | "return" | "dispute" | "resolve" | "cancel" | "void";
export type MessageChannel = "email" | "sms";
export type MessageState = "queued" | "sent" | "failed" | "received";
export type MessageDirection = "outbound" | "inbound";
export type MessageTemplateKey = "assigned" | "en_route" | "on_scene" | "completed" | "driver_link";
export type PayLinkStatus = "opening" | "open" | "paid" | "closed" | "failed";
export type PaymentMethod = "cash" | "check" | "card" | "ach" | "motor_club" | "other";
export type PaymentStatus = "processing" | "succeeded" | "failed";
export type PayoutStatus = "pending" | "in_transit" | "paid" | "failed" | "canceled";
export type PayoutItemsStatus = "pending" | "complete" | "unavailable";
export type PayoutItemType = "payment" | "refund" | "dispute" | "fee" | "other";
export type InvoiceRelease = "draft" | "send";
export type InvoiceRhythm = "week" | "month" | "quarter";
export type RecurringInvoiceStatus = "active" | "paused" | "ended";
export type RefundStatus = "pending" | "succeeded" | "failed";
export type RemittanceLineStatus = "open" | "applied" | "ignored";
export type RemittanceLineOutcome =
  | "matched"
  | "short_paid"
  | "over_paid"
  | "already_paid"
  | "not_open"
  | "no_claim"
  | "several_claims"
  | "other_customer"
  | "po_mismatch"
  | "unknown_po"
  | "unknown_invoice"
  | "no_po"
  | "no_payment";
export type RemittanceStatus = "matched" | "partly_applied" | "applied";
export type SavedMethodStatus = "opening" | "open" | "verifying" | "active" | "failed" | "expired" | "removed";
export type SavedMethodType = "unknown" | "card" | "us_bank_account" | "other";
export type SuggestionKind = "missed_fee" | "denial" | "anomaly";
export type SuggestionEntity = "invoice" | "work_order" | "claim";
export type SuggestionStatus = "open" | "accepted" | "dismissed" | "expired";
export type SyncIssueKind = "refused" | "exhausted" | "conflict" | "gone" | "difference";
export type SyncIssueStatus = "open" | "resolved";
export type IssueResolution = "retry" | "ours" | "theirs" | "ignore";
export type TerminalPaymentStatus = "waiting" | "processing" | "succeeded" | "failed" | "cancelled";
export type TerminalReaderStatus = "online" | "offline" | "removed";
export type ConsentSource = "text" | "vendor" | "person";
export type ConsentState = "opted_in" | "opted_out";
export type TruckStatus =
  "available" | "assigned" | "en_route" | "on_scene" | "towing" | "returning" | "off_duty" | "out_of_service";
export type SettableTruckStatus = "available" | "returning" | "off_duty" | "out_of_service";
export type DeliveryTrigger = "event" | "replay" | "recover" | "test" | "probe";
export type WebhookDeliveryStatus = "pending" | "delivering" | "succeeded" | "failed" | "exhausted" | "cancelled";
export type DisabledReason = "user" | "failing" | "gone" | "receiver";
export type EndpointState = "healthy" | "failing" | "paused" | "throttled" | "slow" | "disabled" | "unknown";
export type ReplayableStatus = "succeeded" | "failed" | "exhausted" | "cancelled";
export type WebhookReplayStatus = "running" | "completed" | "cancelled";
export type BillingStatus =
  "unbilled" | "ready_to_bill" | "invoiced" | "billed" | "partially_paid" | "paid" | "disputed" | "not_billable";
export type WorkOrderActionName =
  "accept" | "assign" | "unassign" | "start" | "complete" | "cancel" | "reopen" | "step";
export type CancelReason = "customer" | "club" | "provider" | "goa" | "unsuccessful";
export type DriverStep =
  "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared";
export type LoggedAction =
  | "created"
  | "accepted"
  | "assigned"
  | "unassigned"
  | "started"
  | "step_logged"
  | "completed"
  | "cancelled"
  | "reopened";
export type WorkOrderStatus = "pending" | "dispatched" | "in_progress" | "completed" | "cancelled";
export type ErrorCode =
  | "validation_error"
  | "invalid_json"
  | "invalid_cursor"
  | "invalid_idempotency_key"
  | "line_total_mismatch"
  | "unauthorized"
  | "insufficient_scope"
  | "read_only_key"
  | "agent_key_required"
  | "forbidden"
  | "factor_required"
  | "factor_setup_required"
  | "not_found"
  | "method_not_allowed"
  | "not_acceptable"
  | "conflict"
  | "duplicate_invoice_number"
  | "invalid_status_transition"
  | "invoice_locked"
  | "approval_already_pending"
  | "idempotency_in_progress"
  | "precondition_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "idempotency_key_reused"
  | "precondition_required"
  | "rate_limited"
  | "internal_error"
  | "provider_error"
  | "service_unavailable";
export type Tier = "starter" | "standard" | "premium";
export type OperationStatus = "queued" | "succeeded" | "failed";
export type BookingConflictCode =
  | "no_account"
  | "unknown_account"
  | "no_tax_code"
  | "unknown_tax_code"
  | "number_too_long"
  | "no_deposit_account"
  | "unknown_deposit_account"
  | "number_taken";
export type BookDifferenceCode =
  | "missing_there"
  | "missing_here"
  | "not_linked"
  | "duplicate"
  | "waiting"
  | "changed"
  | "correction"
  | "status"
  | "currency"
  | "month"
  | "amount"
  | "number"
  | "paid";
export type BookReconciliationStatus = "running" | "complete" | "failed";

export interface AgentKey {
  id: string;
  kind: "agent";
  name: string;
  prefix: string;
  last_four: string;
  scopes: AgentScope[];
  read_only: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}
export interface AgentKeyCreate {
  name: string;
  scopes: AgentScope[];
  read_only: boolean;
  expires_at?: string | null;
}
export interface AgentKeyListQuery {
  limit: number;
  cursor?: string;
}
export interface AgentKeyWithSecret {
  id: string;
  kind: "agent";
  name: string;
  prefix: string;
  last_four: string;
  scopes: AgentScope[];
  read_only: boolean;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  key: string | null;
}
export interface ApiKey {
  id: string;
  kind: "api" | "agent";
  name: string;
  prefix: string;
  last_four: string;
  permissions: Permission[];
  scopes: string[];
  read_only: boolean;
  tier: "starter" | "standard" | "premium" | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  club_id: string | null;
}
export interface ApiKeyCreate {
  name: string;
  permissions: Permission[];
  read_only: boolean;
  tier?: "starter" | "standard" | "premium" | null;
  expires_at?: string | null;
}
export interface ApiKeyListQuery {
  limit: number;
  cursor?: string;
}
export interface ApiKeyRevoke {
  [k: string]: unknown;
}
export interface ApiKeyRoll {
  overlap_hours: number;
}
export interface ApiKeyWithSecret {
  id: string;
  kind: "api" | "agent";
  name: string;
  prefix: string;
  last_four: string;
  permissions: Permission[];
  scopes: string[];
  read_only: boolean;
  tier: "starter" | "standard" | "premium" | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  club_id: string | null;
  key: string | null;
}
export interface Approval {
  id: string;
  kind: ApprovalKind;
  status: ApprovalStatus;
  action: string;
  agent_id: string | null;
  agent_name: string | null;
  tool: string | null;
  payload: {
    [k: string]: unknown;
  };
  amount_cents: number;
  counted_cents: number | null;
  held_by: "agent_gate_cents" | "agent_day_cents" | null;
  justification: string | null;
  invoice_id: string | null;
  record_version: string | null;
  hash: string;
  changes: ApprovalChange[];
  decided_by: string | null;
  decided_at: string | null;
  note: string | null;
  expires_at: string;
  created_at: string;
  decided_by_name: string | null;
}
export interface ApprovalChange {
  field: string;
  [k: string]: unknown;
}
export interface ApprovalApprove {
  hash?: string;
  note?: string;
}
export interface ApprovalListQuery {
  status?: ApprovalStatus;
  kind?: ApprovalKind;
  agent_id?: string;
  invoice_id?: string;
  limit: number;
  cursor?: string;
}
export interface ApprovalPropose {
  kind: "invoice_approval";
  invoice_id: string;
  justification: string;
}
export interface ApprovalReject {
  reason: string;
}
export interface Held {
  ok: true;
  pending_approval: true;
  approval: Approval;
}
export interface AgentAuditListItem {
  id: string;
  occurred_at: string;
  actor: {
    type: ActorType;
    id?: string | null;
    name?: string | null;
  };
  action: string;
  entity_type?: string | null;
  entity_id?: string | null;
  outcome: AuditOutcome;
  source?: AuditSource;
  tool?: string | null;
  changes?: {
    field: string;
    from?: unknown;
    to?: unknown;
  }[];
  request_id?: string | null;
  idempotency_key?: string | null;
  ip?: string | null;
  user_agent?: string | null;
  changed?: string;
}
export interface AuditEntry {
  id: string;
  occurred_at: string;
  actor: {
    type: ActorType;
    id: string | null;
    name: string | null;
  };
  action: string;
  entity_type: string | null;
  entity_id: string | null;
  outcome: AuditOutcome;
  source: AuditSource;
  tool: string | null;
  changes: {
    field: string;
    from?: unknown;
    to?: unknown;
  }[];
  request_id: string | null;
  idempotency_key: string | null;
  ip: string | null;
  user_agent: string | null;
}
export interface AuditListQuery {
  entity_type?: string;
  entity_id?: string;
  actor?: string;
  action?: string;
  outcome?: string;
  request_id?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}
export interface AutopayAttempt {
  id: string;
  invoice_id: string;
  payment_method_id: string;
  attempt: number;
  amount_cents: number;
  status: AutopayAttemptStatus;
  decline_code: string | null;
  failure_reason: string | null;
  next_attempt_at: string | null;
  provider_payment_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface AutopayAttemptListQuery {
  invoice_id?: string;
  payment_method_id?: string;
  status?: AutopayAttemptStatus;
  limit: number;
  cursor?: string;
}
export interface Claim {
  id: string;
  invoice_id: string;
  club: string;
  provider_id: string | null;
  po_number: string | null;
  status: ClaimStatus;
  status_reason: string | null;
  attempt: number;
  submitted_at: string | null;
  submit_by: string;
  respond_by: string | null;
  denial_code: string | null;
  denial_reason: string | null;
  expected_cents: number;
  paid_cents: number;
  evidence: Evidence[];
  created_at: string;
  updated_at: string;
  connection_id: string | null;
}
export interface Evidence {
  kind: string;
  url: string;
  note: string | null;
}
export interface ClaimAction {
  [k: string]: unknown;
}
export interface ClaimCreate {
  invoice_id: string;
  club: string;
  provider_id?: string | null;
  po_number?: string | null;
  expected_cents?: number;
  evidence?: EvidenceInput[];
}
export interface EvidenceInput {
  kind: string;
  url: string;
  note: string | null;
}
export interface ClaimListItem {
  id: string;
  invoice_id: string;
  club: string;
  provider_id: string | null;
  po_number: string | null;
  status: ClaimStatus;
  status_reason: string | null;
  attempt: number;
  submitted_at: string | null;
  submit_by: string;
  respond_by: string | null;
  denial_code: string | null;
  denial_reason: string | null;
  expected_cents: number;
  paid_cents: number;
  evidence: Evidence[];
  created_at: string;
  updated_at: string;
  connection_id: string | null;
  invoice_number?: string | null;
  customer_name?: string | null;
}
export interface ClaimListQuery {
  status?: ClaimStatus;
  invoice_id?: string;
  search?: string;
  expand?: string;
  limit: number;
  cursor?: string;
}
export interface ClaimOutcome {
  outcome: ClubAnswer;
  code?: string | null;
  reason?: string | null;
  amount_cents?: number;
  reference?: string | null;
}
export interface ClaimPatch {
  club?: string;
  provider_id?: string | null;
  po_number?: string | null;
  expected_cents?: number;
  evidence?: EvidenceInput[];
}
export interface ClaimWithdraw {
  reason: string;
}
export interface ClubOffer {
  id: string;
  club_id: string;
  club: string;
  reference: string;
  status: ClubOfferStatus;
  service_type: string;
  pickup_location: string | null;
  pickup: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  dropoff_location: string | null;
  vehicle: {
    make: string | null;
    model: string | null;
    year: number | null;
  };
  vin: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  notes: string | null;
  po_number: string | null;
  offered_cents: number | null;
  respond_by: string;
  answered_at: string | null;
  eta: string | null;
  refusal_reason: "no_truck" | "too_far" | "wrong_equipment" | "price" | "outside_hours" | "unsafe" | "other" | null;
  refusal_note: string | null;
  withdrawal_reason: "cancelled" | "goa" | null;
  withdrawal_note: string | null;
  customer_id: string | null;
  work_order_id: string | null;
  progress:
    | "waiting"
    | "dispatched"
    | "en_route"
    | "in_progress"
    | "on_scene"
    | "hooked"
    | "towing"
    | "at_destination"
    | "cleared"
    | "completed"
    | "cancelled"
    | null;
  created_at: string;
  updated_at: string;
}
export interface ClubOfferAccept {
  eta_minutes: number;
  truck_id?: string | null;
  customer_id?: string | null;
}
export interface ClubOfferConfirm {
  [k: string]: unknown;
}
export interface ClubOfferCreate {
  reference: string;
  service_type: string;
  pickup_location?: string | null;
  pickup?: {
    address?: string | null;
    lat?: number | null;
    lng?: number | null;
  } | null;
  dropoff_location?: string | null;
  vehicle?: {
    make?: string | null;
    model?: string | null;
    year?: number | null;
  } | null;
  vin?: string | null;
  contact_name?: string | null;
  contact_phone?: string | null;
  notes?: string | null;
  po_number?: string | null;
  offered_cents?: number | null;
  respond_by?: string;
}
export interface ClubOfferExpire {
  [k: string]: unknown;
}
export interface ClubOfferGone {
  note?: string | null;
}
export interface ClubOfferListQuery {
  status?: ClubOfferStatus;
  reference?: string;
  work_order_id?: string;
  limit: number;
  cursor?: string;
}
export interface ClubOfferRefuse {
  reason: ClubRefusalReason;
  note?: string | null;
}
export interface ClubOfferWithdraw {
  note?: string | null;
}
export interface ConnectionDriver {
  id: string;
  connection_id: string;
  external_id: string;
  name: string | null;
  phone: string | null;
  driver_id: string | null;
  proposed_driver: {
    id: string;
    name: string;
    matched_by: "phone" | "name";
  } | null;
  removed_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface ConnectionDriverListQuery {
  connection_id?: string;
  limit: number;
  cursor?: string;
}
export interface DriverLink {
  driver_id?: string;
  create?: true;
  name?: string;
}
export interface DriverUnlink {
  [k: string]: unknown;
}
export interface DriversOfConnectionQuery {
  limit: number;
  cursor?: string;
}
export interface BookReconciliationStart {
  from: string;
  to: string;
}
export interface Choice {
  id: string;
  name: string;
  use: "income" | "deposit" | null;
}
export interface ChoiceQuery {
  of: ChoiceSubject & string;
}
export interface Connection {
  id: string;
  vendor: string;
  kind: VendorKind;
  label: string | null;
  status: ConnectionStatus;
  status_reason: string | null;
  environment: "live" | "sandbox";
  external_account: string | null;
  scopes: string[];
  settings: {
    [k: string]: unknown;
  };
  webhook_url: string;
  health: {
    last_success_at: string | null;
    oldest_due_at: string | null;
    backlog: number;
    error_rate: number | null;
    last_error: string | null;
    token_expires_at: string | null;
    last_webhook_at: string | null;
  };
  created_at: string;
  updated_at: string;
  allowed_actions: ConnectionActionName[];
  inbound_urls: {
    messages: string;
    voice: string;
    status: string;
  } | null;
}
export interface ConnectionAction {
  [k: string]: unknown;
}
export interface ConnectionCall {
  id: string;
  connection_id: string;
  method: string;
  path: string;
  response_status: number | null;
  error: string | null;
  total_ms: number;
  vendor_request_id: string | null;
  request_fields: string[];
  response_fields: string[];
  created_at: string;
}
export interface ConnectionCallListQuery {
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}
export interface ConnectionCreate {
  vendor: string;
  label?: string | null;
  credentials?: {
    [k: string]: string;
  };
  settings?: {
    [k: string]: unknown;
  };
}
export interface ConnectionListQuery {
  vendor?: string;
  status?: ConnectionStatus;
  limit: number;
  cursor?: string;
}
export interface ConnectionPatch {
  label?: string | null;
  settings?: {
    [k: string]: unknown;
  };
  credentials?: {
    [k: string]: string;
  };
}
export interface ConnectionPush {
  id: string;
  vendor: string;
  kind: VendorKind;
  label: string | null;
  status: ConnectionStatus;
  status_reason: string | null;
  environment: "live" | "sandbox";
  external_account: string | null;
  scopes: string[];
  settings: {
    [k: string]: unknown;
  };
  webhook_url: string;
  health: {
    last_success_at: string | null;
    oldest_due_at: string | null;
    backlog: number;
    error_rate: number | null;
    last_error: string | null;
    token_expires_at: string | null;
    last_webhook_at: string | null;
  };
  created_at: string;
  updated_at: string;
  allowed_actions: ConnectionActionName[];
  inbound_urls: {
    messages: string;
    voice: string;
    status: string;
  } | null;
  pushed: number;
  next_since: string | null;
}
export interface ConnectionReplay {
  id: string;
  vendor: string;
  kind: VendorKind;
  label: string | null;
  status: ConnectionStatus;
  status_reason: string | null;
  environment: "live" | "sandbox";
  external_account: string | null;
  scopes: string[];
  settings: {
    [k: string]: unknown;
  };
  webhook_url: string;
  health: {
    last_success_at: string | null;
    oldest_due_at: string | null;
    backlog: number;
    error_rate: number | null;
    last_error: string | null;
    token_expires_at: string | null;
    last_webhook_at: string | null;
  };
  created_at: string;
  updated_at: string;
  allowed_actions: ConnectionActionName[];
  inbound_urls: {
    messages: string;
    voice: string;
    status: string;
  } | null;
  replayed: number;
}
export interface ConnectionSync {
  stream?: string;
  since?: string;
}
export interface ConnectionWithSignIn {
  id: string;
  vendor: string;
  kind: VendorKind;
  label: string | null;
  status: ConnectionStatus;
  status_reason: string | null;
  environment: "live" | "sandbox";
  external_account: string | null;
  scopes: string[];
  settings: {
    [k: string]: unknown;
  };
  webhook_url: string;
  health: {
    last_success_at: string | null;
    oldest_due_at: string | null;
    backlog: number;
    error_rate: number | null;
    last_error: string | null;
    token_expires_at: string | null;
    last_webhook_at: string | null;
  };
  created_at: string;
  updated_at: string;
  allowed_actions: ConnectionActionName[];
  inbound_urls: {
    messages: string;
    voice: string;
    status: string;
  } | null;
  authorize_url: string | null;
}
export interface Integration {
  vendor: string;
  kind: VendorKind;
  label: string;
  auth: "oauth2" | "api_key";
  sign_in: boolean;
  credentials_schema: {
    [k: string]: unknown;
  };
  settings_schema: {
    [k: string]: unknown;
  };
  docs_url: string;
}
export interface OperationReplay {
  since: string;
  until?: string;
  dry_run?: boolean;
}
export interface OutboundOperation {
  id: string;
  connection_id: string;
  kind: string;
  record_id: string;
  verb: string;
  state: OutboundOperationState;
  attempts: number;
  next_at: string | null;
  last_error: string | null;
  external_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface OutboundOperationListQuery {
  state?: OutboundOperationState;
  limit: number;
  cursor?: string;
}
export interface SyncRun {
  id: string;
  connection_id: string;
  stream: string;
  state: SyncRunState;
  changes: number;
  dropped: number;
  error: string | null;
  started_at: string;
  ended_at: string | null;
}
export interface SyncRunListQuery {
  limit: number;
  cursor?: string;
}
export interface ConnectionVehicle {
  id: string;
  connection_id: string;
  external_id: string;
  name: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  duty_class: "light" | "medium" | "heavy" | null;
  truck_id: string | null;
  proposed_truck: {
    id: string;
    unit_number: string;
    matched_by: "vin" | "unit_number";
  } | null;
  removed_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface ConnectionVehicleListQuery {
  connection_id?: string;
  limit: number;
  cursor?: string;
}
export interface VehicleLink {
  truck_id?: string;
  create?: true;
  unit_number?: string;
  duty_class?: DutyClass;
}
export interface VehicleUnlink {
  [k: string]: unknown;
}
export interface VehiclesOfConnectionQuery {
  limit: number;
  cursor?: string;
}
export interface AgentCustomerListItem {
  id: string;
  company_name: string;
  company_type: string;
  billing_email?: string | null;
  primary_phone?: string | null;
  address?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  is_active: boolean;
  terms_days?: number | null;
  tax_exempt?: boolean;
  tax_rate_bps?: number | null;
  rate_card_id?: string | null;
  created_at?: string;
  updated_at?: string;
  autopay?: {
    payment_method_id: string;
    when: AutopayTime;
    since: string;
  } | null;
  billing_connection_id?: string | null;
  coverage?: {
    loaded_miles: number | null;
    amount_cents: number | null;
    service_types: string[] | null;
  } | null;
  balance_cents: number;
  overdue_cents: number;
  credit_cents?: number;
}
export interface Customer {
  id: string;
  company_name: string;
  company_type: string;
  billing_email: string | null;
  primary_phone: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  is_active: boolean;
  terms_days: number | null;
  tax_exempt: boolean;
  tax_rate_bps: number | null;
  rate_card_id: string | null;
  created_at: string;
  updated_at: string;
  autopay: {
    payment_method_id: string;
    when: AutopayTime;
    since: string;
  } | null;
  billing_connection_id: string | null;
  coverage: {
    loaded_miles: number | null;
    amount_cents: number | null;
    service_types: string[] | null;
  } | null;
  balance_cents: number;
  overdue_cents: number;
  credit_cents: number;
  external_ids?: ExternalId[];
}
export interface ExternalId {
  connection_id: string;
  vendor: string;
  id: string;
  url: string | null;
}
export interface CustomerCreate {
  company_name: string;
  company_type?: string;
  billing_email?: string | null;
  primary_phone?: string | null;
  address?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  terms_days?: number | null;
  tax_exempt?: boolean;
  tax_rate_bps?: number | null;
  rate_card_id?: string | null;
  coverage?: {
    loaded_miles: number | null;
    amount_cents: number | null;
    service_types: string[] | null;
  } | null;
}
export interface CustomerListQuery {
  search?: string;
  company_type?: string;
  is_active?: boolean;
  expand?: string;
  sort?: "-created_at" | "created_at" | "name" | "-name";
  limit: number;
  cursor?: string;
}
export interface CustomerPatch {
  company_name?: string;
  company_type?: string;
  billing_email?: string | null;
  primary_phone?: string | null;
  address?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  is_active?: boolean;
  terms_days?: number | null;
  tax_exempt?: boolean;
  tax_rate_bps?: number | null;
  rate_card_id?: string | null;
  autopay?: {
    payment_method_id: string;
    when: AutopayTime;
  } | null;
  billing_connection_id?: string | null;
  coverage?: {
    loaded_miles: number | null;
    amount_cents: number | null;
    service_types: string[] | null;
  } | null;
}
export interface Dispute {
  id: string;
  payment_id: string;
  invoice_id: string;
  connection_id: string;
  provider_dispute_id: string;
  amount_cents: number;
  reason: string;
  status: DisputeStatus;
  respond_by: string | null;
  evidence_sent_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface DisputeEvidenceCreate {
  text?: string;
}
export interface DisputeListQuery {
  invoice_id?: string;
  payment_id?: string;
  status?: DisputeStatus;
  limit: number;
  cursor?: string;
}
export interface Driver {
  id: string;
  name: string;
  phone: string | null;
  duty_classes: DutyClass[];
  status: DriverStatus;
  created_at: string;
  updated_at: string;
}
export interface DriverCreate {
  name: string;
  phone?: string | null;
  duty_classes?: DutyClass[];
  status?: DriverStatus;
}
export interface DriverListQuery {
  status?: DriverStatus;
  search?: string;
  limit: number;
  cursor?: string;
}
export interface DriverPatch {
  name?: string;
  phone?: string | null;
  duty_classes?: DutyClass[];
  status?: DriverStatus;
}
export interface Event {
  id: string;
  type: string;
  api_version: "v1";
  timestamp: string;
  tenant_id: string;
  environment: Environment;
  data: {
    object: {
      [k: string]: unknown;
    };
    [k: string]: unknown;
  };
}
export interface EventListQuery {
  type?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}
export interface EventStreamQuery {
  types?: string;
  last_event_id?: string;
  changes?: boolean;
}
export interface ExportAction {
  [k: string]: unknown;
}
export interface ExportCreate {
  resource: ExportResource;
  format: ExportFormat;
  filters: {
    search?: string;
    status?: string;
    customer_id?: string;
    since?: string;
    until?: string;
    date_field?: string;
    company_type?: string;
    is_active?: boolean;
    service_type?: string;
    kind?: string;
    result?: string;
    truck_id?: string;
    driver_id?: string;
    work_order_id?: string;
  };
  include: ("line_items" | "payments")[];
  compression: "gzip" | "none";
  bom: boolean;
  decimals: boolean;
}
export interface ExportListQuery {
  status?: ExportStatus;
  resource?: ExportResource;
  schedule_id?: string;
  limit: number;
  cursor?: string;
}
export interface Export {
  id: string;
  resource: ExportResource;
  format: ExportFormat;
  filters: {
    search?: string;
    status?: string;
    customer_id?: string;
    since?: string;
    until?: string;
    date_field?: string;
    company_type?: string;
    is_active?: boolean;
    service_type?: string;
    kind?: string;
    result?: string;
    truck_id?: string;
    driver_id?: string;
    work_order_id?: string;
  };
  include: ("line_items" | "payments")[];
  compression: "gzip" | "none";
  bom: boolean;
  decimals: boolean;
  status: ExportStatus;
  progress: {
    rows: number;
    bytes: number;
    estimated_rows: number | null;
    percent: number | null;
  };
  file_name: string | null;
  content_type: string | null;
  bytes: number | null;
  sha256: string | null;
  files: {
    name: string;
    rows: number;
    bytes: number;
    sha256: string;
    sums: {
      [k: string]: number;
    };
  }[];
  error: {
    code: string;
    message: string;
  } | null;
  schedule_id: string | null;
  download_url: string | null;
  download_expires_at: string | null;
  attempts: number;
  started_at: string | null;
  completed_at: string | null;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface ExportSchedule {
  id: string;
  resource: ExportResource;
  format: ExportFormat;
  filters: {
    search?: string;
    status?: string;
    customer_id?: string;
    since?: string;
    until?: string;
    date_field?: string;
    company_type?: string;
    is_active?: boolean;
    service_type?: string;
    kind?: string;
    result?: string;
    truck_id?: string;
    driver_id?: string;
    work_order_id?: string;
  };
  include: ("line_items" | "payments")[];
  compression: "gzip" | "none";
  bom: boolean;
  decimals: boolean;
  cadence: ExportCadence;
  hour: number;
  weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
  day: number | null;
  period: ExportPeriod;
  enabled: boolean;
  next_run_at: string | null;
  last_run_at: string | null;
  last_export_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface ExportScheduleCreate {
  resource: ExportResource;
  format: ExportFormat;
  filters: {
    search?: string;
    status?: string;
    customer_id?: string;
    since?: string;
    until?: string;
    date_field?: string;
    company_type?: string;
    is_active?: boolean;
    service_type?: string;
    kind?: string;
    result?: string;
    truck_id?: string;
    driver_id?: string;
    work_order_id?: string;
  };
  include: ("line_items" | "payments")[];
  compression: "gzip" | "none";
  bom: boolean;
  decimals: boolean;
  cadence: ExportCadence;
  hour: number;
  weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
  day?: number | null;
  period: ExportPeriod & string;
  enabled: boolean;
}
export interface ExportScheduleDelete {
  [k: string]: unknown;
}
export interface ExportScheduleListQuery {
  limit: number;
  cursor?: string;
}
export interface ExportSchedulePatch {
  resource?: ExportResource;
  format?: ExportFormat;
  filters?: {
    search?: string;
    status?: string;
    customer_id?: string;
    since?: string;
    until?: string;
    date_field?: string;
    company_type?: string;
    is_active?: boolean;
    service_type?: string;
    kind?: string;
    result?: string;
    truck_id?: string;
    driver_id?: string;
    work_order_id?: string;
  };
  include?: ("line_items" | "payments")[];
  compression?: "gzip" | "none";
  bom?: boolean;
  decimals?: boolean;
  cadence?: ExportCadence;
  hour?: number;
  weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
  day?: number | null;
  period?: ExportPeriod;
  enabled?: boolean;
}
export interface Factor {
  id: string;
  user_id: string;
  kind: FactorKind;
  name: string;
  codes_left: number | null;
  created_at: string;
  confirmed_at: string | null;
  last_used_at: string | null;
  removed_at: string | null;
}
export interface FactorConfirm {
  code?: string;
  passkey?: {
    [k: string]: unknown;
  };
}
export interface FactorCreate {
  kind: "totp" | "passkey";
  name: string;
  password?: string;
}
export interface FactorListQuery {
  limit: number;
  cursor?: string;
}
export interface FactorRevoke {
  [k: string]: unknown;
}
export interface FactorWithCodes {
  id: string;
  user_id: string;
  kind: FactorKind;
  name: string;
  codes_left: number | null;
  created_at: string;
  confirmed_at: string | null;
  last_used_at: string | null;
  removed_at: string | null;
  recovery_codes: string[] | null;
}
export interface FactorWithSecret {
  id: string;
  user_id: string;
  kind: FactorKind;
  name: string;
  codes_left: number | null;
  created_at: string;
  confirmed_at: string | null;
  last_used_at: string | null;
  removed_at: string | null;
  secret: string | null;
  otpauth_uri: string | null;
  passkey: {
    [k: string]: unknown;
  } | null;
}
export interface RecoveryCodesCreate {
  [k: string]: unknown;
}
export interface Impound {
  id: string;
  status: ImpoundStatus;
  work_order_id: string | null;
  customer_id: string | null;
  vehicle: {
    vin: string | null;
    plate: string | null;
    make: string | null;
    model: string | null;
    year: number | null;
    color: string | null;
  };
  lot: string | null;
  spot: string | null;
  hold_reason: string | null;
  impounded_at: string;
  released_at: string | null;
  release_kind: "owner" | "insurance" | "lienholder" | "no_charge" | "surrendered" | "junked" | "bill_account" | null;
  released_to: string | null;
  daily_rate_cents: number;
  free_days: number;
  days: number;
  accrued_days: number;
  storage_cents: number;
  invoiced_days: number;
  unbilled_days: number;
  notes: string | null;
  created_at: string;
  updated_at: string;
}
export interface ImpoundAction {
  [k: string]: unknown;
}
export interface ImpoundCreate {
  work_order_id?: string | null;
  customer_id?: string | null;
  vehicle?: {
    vin?: string | null;
    plate?: string | null;
    make?: string | null;
    model?: string | null;
    year?: number | null;
    color?: string | null;
  } | null;
  lot?: string | null;
  spot?: string | null;
  hold_reason?: string;
  impounded_at?: string;
  daily_rate_cents?: number;
  free_days?: number;
  notes?: string | null;
}
export interface ImpoundHold {
  reason: string;
}
export interface ImpoundListQuery {
  status?: ImpoundStatus;
  work_order_id?: string;
  limit: number;
  cursor?: string;
}
export interface ImpoundPatch {
  status?: PatchableImpoundStatus;
  customer_id?: string | null;
  vehicle?: {
    vin?: string | null;
    plate?: string | null;
    make?: string | null;
    model?: string | null;
    year?: number | null;
    color?: string | null;
  } | null;
  lot?: string | null;
  spot?: string | null;
  notes?: string | null;
}
export interface ImpoundRelease {
  kind: ReleaseKind;
  released_to?: string | null;
  at?: string;
}
export interface Inspection {
  id: string;
  kind: InspectionKind;
  truck_id: string | null;
  driver_id: string | null;
  work_order_id: string | null;
  vehicle: {
    vin: string | null;
    plate: string | null;
    make: string | null;
    model: string | null;
    year: number | null;
  } | null;
  odometer_miles: number | null;
  items: {
    key: string;
    label: string | null;
    state: InspectionItemState;
    note: string | null;
  }[];
  defects: {
    id: string;
    component: string;
    severity: DefectSeverity;
    resolved_at: string | null;
    resolved_by: string | null;
  }[];
  photos: {
    slot: string;
    phase: string | null;
    url: string;
    taken_at: string | null;
  }[];
  result: InspectionResult;
  notes: string | null;
  submitted_at: string;
  created_at: string;
  updated_at: string;
}
export interface InspectionCreate {
  kind: InspectionKind;
  truck_id?: string | null;
  driver_id?: string | null;
  work_order_id?: string | null;
  vehicle?: {
    vin?: string | null;
    plate?: string | null;
    make?: string | null;
    model?: string | null;
    year?: number | null;
  } | null;
  odometer_miles?: number | null;
  items?: {
    key: string;
    label?: string | null;
    state: InspectionItemState;
    note?: string | null;
  }[];
  defects?: {
    component: string;
    severity: DefectSeverity;
    resolved_at?: string | null;
    resolved_by?: string | null;
  }[];
  photos?: {
    slot: string;
    phase?: string | null;
    url: string;
    taken_at?: string | null;
  }[];
  notes?: string | null;
}
export interface InspectionListQuery {
  kind?: InspectionKind;
  truck_id?: string;
  driver_id?: string;
  work_order_id?: string;
  result?: InspectionResult;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}
export interface InspectionPatch {
  defects?: {
    id: string;
    resolved_at: string | null;
    resolved_by?: string | null;
  }[];
  notes?: string | null;
}
export interface Invitation {
  id: string;
  email: string;
  role: Role;
  created_at: string;
  updated_at: string;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
  status: InvitationStatus;
}
export interface InvitationAccept {
  name: string;
  password: string;
}
export interface InvitationCreate {
  email: string;
  role: Role;
}
export interface InvitationListQuery {
  status?: InvitationStatus;
  limit: number;
  cursor?: string;
}
export interface InvitationOffer {
  account: string;
  email: string;
  role: Role;
  expires_at: string;
}
export interface InvitationRevoke {
  [k: string]: unknown;
}
export interface InvitationWithLink {
  id: string;
  email: string;
  role: Role;
  created_at: string;
  updated_at: string;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
  status: InvitationStatus;
  accept_url: string | null;
}
export interface InvoiceDraftLine {
  name: string;
  description?: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  taxable: boolean;
}
export interface Invoice {
  id: string;
  invoice_number: string;
  status: InvoiceStatus;
  customer_id: string | null;
  billing_email: string | null;
  po_number: string | null;
  due_date: string | null;
  service_date: string | null;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  work_order_id: string | null;
  vehicle_description: string | null;
  notes: string | null;
  sent_at: string | null;
  delivery: {
    state: DeliveryState;
    reason: string | null;
    viewed_at: string | null;
  } | null;
  allowed_actions: InvoiceActionName[];
  created_at: string;
  updated_at: string;
  recurring_invoice_id: string | null;
  balance_due_cents: number;
  effective_due_date: string | null;
  line_items: LineItem[];
  external_ids?: ExternalId[];
}
export interface LineItem {
  id: string;
  position: number;
  name: string;
  description: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}
export interface InvoiceAction {
  [k: string]: unknown;
}
export interface InvoiceCreate {
  invoice_number: string;
  customer_id?: string | null;
  billing_email?: string | null;
  po_number?: string | null;
  due_date?: string | null;
  service_date?: string | null;
  work_order_id?: string | null;
  vehicle_description?: string | null;
  notes?: string | null;
  line_items?: LineItemInput[];
}
export interface LineItemInput {
  name: string;
  description?: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents?: number;
  taxable: boolean;
}
export interface InvoiceDraft {
  work_order_id: string;
  line_items?: InvoiceDraftLine[];
  notes?: string;
  billing_email?: string;
}
export interface InvoiceListItem {
  id: string;
  invoice_number: string;
  status: InvoiceStatus;
  customer_id: string | null;
  billing_email: string | null;
  po_number: string | null;
  due_date: string | null;
  service_date: string | null;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  work_order_id: string | null;
  vehicle_description: string | null;
  notes: string | null;
  sent_at: string | null;
  delivery: {
    state: DeliveryState;
    reason: string | null;
    viewed_at: string | null;
  } | null;
  allowed_actions: InvoiceActionName[];
  created_at: string;
  updated_at: string;
  recurring_invoice_id: string | null;
  balance_due_cents: number;
  effective_due_date: string | null;
  line_items?: LineItem[];
  customer_name?: string | null;
  external_ids?: ExternalId[];
}
export interface InvoiceListQuery {
  status?: string;
  customer_id?: string;
  work_order_id?: string;
  search?: string;
  since?: string;
  until?: string;
  date_field?: "created_at" | "updated_at" | "service_date" | "due_date" | "paid_at";
  expand?: string;
  sort?: "-created_at" | "created_at" | "due_date" | "-due_date";
  limit: number;
  cursor?: string;
}
export interface InvoicePatch {
  status?: InvoiceStatus;
  billing_email?: string | null;
  po_number?: string | null;
  due_date?: string | null;
  notes?: string | null;
  line_items?: LineItemInput[];
}
export interface InvoiceReason {
  reason: string;
}
export interface InvoiceSend {
  channel: "email" | "sms" | "both";
  to?: string;
}
export interface SentInvoice {
  id: string;
  invoice_number: string;
  status: InvoiceStatus;
  customer_id: string | null;
  billing_email: string | null;
  po_number: string | null;
  due_date: string | null;
  service_date: string | null;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  work_order_id: string | null;
  vehicle_description: string | null;
  notes: string | null;
  sent_at: string | null;
  delivery: {
    state: DeliveryState;
    reason: string | null;
    viewed_at: string | null;
  } | null;
  allowed_actions: InvoiceActionName[];
  created_at: string;
  updated_at: string;
  recurring_invoice_id: string | null;
  balance_due_cents: number;
  effective_due_date: string | null;
  line_items: LineItem[];
  view_url?: string;
}
export interface Message {
  id: string;
  invoice_id: string | null;
  channel: MessageChannel;
  recipient: string;
  subject: string | null;
  state: MessageState;
  provider: string;
  error: string | null;
  attempts: number;
  next_attempt_at: string | null;
  sent_at: string | null;
  link_expires_at: string | null;
  link_revoked_at: string | null;
  created_at: string;
  updated_at: string;
  work_order_id: string | null;
  direction: MessageDirection;
  sender: string | null;
  template: string | null;
  segments: number | null;
  text: string | null;
  delivered_at: string | null;
  body_text: string;
  body_html: string | null;
}
export interface MessageAction {
  [k: string]: unknown;
}
export interface MessageCreate {
  work_order_id?: string;
  to?: string;
  text: string;
}
export interface MessageListItem {
  id: string;
  invoice_id: string | null;
  channel: MessageChannel;
  recipient: string;
  subject: string | null;
  state: MessageState;
  provider: string;
  error: string | null;
  attempts: number;
  next_attempt_at: string | null;
  sent_at: string | null;
  link_expires_at: string | null;
  link_revoked_at: string | null;
  created_at: string;
  updated_at: string;
  work_order_id: string | null;
  direction: MessageDirection;
  sender: string | null;
  template: string | null;
  segments: number | null;
  text: string | null;
  delivered_at: string | null;
}
export interface MessageListQuery {
  invoice_id?: string;
  work_order_id?: string;
  channel?: MessageChannel;
  direction?: MessageDirection;
  state?: MessageState;
  limit: number;
  cursor?: string;
}
export interface MessageTemplate {
  key: MessageTemplateKey;
  text: string;
  enabled: boolean;
  created_at: string;
  updated_at: string;
}
export interface MessageTemplatePatch {
  text?: string;
  enabled?: boolean;
}
export interface Notice {
  id: string;
  kind: string;
  title: string;
  text: string;
  entity_type: string;
  entity_id: string;
  created_at: string;
  read_at: string | null;
  mailed_at: string | null;
}
export interface NoticeListQuery {
  unread?: boolean;
  kind?: string;
  limit: number;
  cursor?: string;
}
export interface NoticeRead {
  [k: string]: unknown;
}
export interface PayLink {
  id: string;
  invoice_id: string;
  connection_id: string | null;
  amount_cents: number;
  status: PayLinkStatus;
  url: string | null;
  expires_at: string | null;
  error: string | null;
  created_at: string;
  updated_at: string;
}
export interface PayLinkCreate {
  amount_cents?: number;
}
export interface PayLinkListQuery {
  invoice_id?: string;
  status?: PayLinkStatus;
  limit: number;
  cursor?: string;
}
export interface InvoicePaymentListQuery {
  expand?: string;
  limit: number;
  cursor?: string;
}
export interface Payment {
  id: string;
  invoice_id: string;
  amount_cents: number;
  method: PaymentMethod;
  received_at: string;
  reference: string | null;
  refunded_cents: number;
  credit_cents: number;
  created_at: string;
  updated_at: string;
  status: PaymentStatus;
  provider: string | null;
  provider_payment_id: string | null;
  fee_cents: number | null;
  failure_reason: string | null;
  external_ids?: ExternalId[];
}
export interface PaymentCreate {
  amount_cents: number;
  method: PaymentMethod;
  received_at?: string;
  reference?: string | null;
}
export interface PaymentListQuery {
  invoice_id?: string;
  method?: PaymentMethod;
  status?: PaymentStatus;
  since?: string;
  until?: string;
  expand?: string;
  limit: number;
  cursor?: string;
}
export interface RefundCreate {
  amount_cents: number;
  reason: string;
}
export interface Payout {
  id: string;
  connection_id: string;
  provider_payout_id: string;
  amount_cents: number;
  fee_cents: number | null;
  status: PayoutStatus;
  arrival_date: string;
  failure_reason: string | null;
  items_status: PayoutItemsStatus;
  created_at: string;
  updated_at: string;
}
export interface PayoutItem {
  id: string;
  payout_id: string;
  type: PayoutItemType;
  amount_cents: number;
  fee_cents: number;
  net_cents: number;
  payment_id: string | null;
  refund_id: string | null;
  dispute_id: string | null;
  invoice_id: string | null;
  provider_item_id: string;
  description: string | null;
  created_at: string;
}
export interface PayoutItemListQuery {
  type?: PayoutItemType;
  limit: number;
  cursor?: string;
}
export interface PayoutListQuery {
  connection_id?: string;
  status?: PayoutStatus;
  limit: number;
  cursor?: string;
}
export interface JobPrice {
  work_order_id: string;
  customer_id: string | null;
  rate_card: {
    id: string;
    name: string;
    effective_from: string;
  };
  is_after_hours: boolean;
  is_invoiced: boolean;
  invoiced_storage_days: number;
  line_items: PricedLineItem[];
  explanation: PriceExplanation[];
  subtotal_cents: number;
  tax_rate_bps: number;
  tax_cents: number;
  total_cents: number;
}
export interface PricedLineItem {
  name: string;
  description?: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}
export interface PriceExplanation {
  name: string;
  category: string;
  service_type: string | null;
  line: number | null;
  measured_quantity: number | null;
  included_quantity: number | null;
  charged_quantity: number | null;
  minimum_applied: boolean;
  reason: string;
}
export interface RateCard {
  id: string;
  name: string;
  version: number;
  effective_from: string;
  effective_until: string | null;
  superseded_by: string | null;
  is_default: boolean;
  after_hours_window: {
    start: string;
    end: string;
    weekends: boolean;
  };
  items: RateCardItem[];
  created_at: string;
}
export interface RateCardItem {
  name: string;
  service_type: string | null;
  category: string;
  unit_type: string;
  unit_price_cents: number;
  included_quantity: number;
  minimum_cents: number | null;
  after_hours: boolean;
  taxable: boolean;
}
export interface RateCardCreate {
  name: string;
  effective_from: string;
  is_default?: boolean;
  after_hours_window?: {
    start: string;
    end: string;
    weekends: boolean;
  };
  items: RateCardItemInput[];
}
export interface RateCardItemInput {
  name?: string;
  service_type: string | null;
  category: string;
  unit_type: string;
  unit_price_cents: number;
  included_quantity: number;
  minimum_cents: number | null;
  after_hours: boolean;
  taxable: boolean;
}
export interface RateCardListQuery {
  search?: string;
  is_default?: boolean;
  in_force_on?: string;
  limit: number;
  cursor?: string;
}
export interface RecurringInvoice {
  id: string;
  description: string | null;
  customer_id: string;
  every: InvoiceRhythm;
  anchor_date: string;
  line_items: PricedLineItem[];
  release: InvoiceRelease;
  ends_on: string | null;
  status: RecurringInvoiceStatus;
  next_date: string | null;
  last_date: string | null;
  last_invoice_id: string | null;
  created_at: string;
  updated_at: string;
  autopay: {
    payment_method_id: string;
    when: AutopayTime;
    since: string;
  } | null;
}
export interface RecurringInvoiceCreate {
  description?: string | null;
  customer_id: string;
  every: InvoiceRhythm;
  anchor_date: string;
  line_items: LineItemInput[];
  release?: InvoiceRelease;
  ends_on?: string | null;
  autopay?: {
    payment_method_id: string;
    when: AutopayTime;
  } | null;
}
export interface RecurringInvoiceEnd {
  [k: string]: unknown;
}
export interface RecurringInvoiceListQuery {
  status?: RecurringInvoiceStatus;
  customer_id?: string;
  limit: number;
  cursor?: string;
}
export interface RecurringInvoicePatch {
  description?: string | null;
  every?: InvoiceRhythm;
  anchor_date?: string;
  line_items?: LineItemInput[];
  release?: InvoiceRelease;
  ends_on?: string | null;
  status?: RecurringInvoiceStatus;
  autopay?: {
    payment_method_id: string;
    when: AutopayTime;
  } | null;
}
export interface Refund {
  id: string;
  payment_id: string;
  invoice_id: string;
  amount_cents: number;
  reason: string;
  created_at: string;
  status: RefundStatus;
  failure_reason: string | null;
}
export interface RefundListQuery {
  payment_id?: string;
  status?: RefundStatus;
  limit: number;
  cursor?: string;
}
export interface RemittanceLine {
  id: string;
  remittance_id: string;
  position: number;
  po_number: string | null;
  invoice_number: string | null;
  amount_cents: number;
  note: string | null;
  status: RemittanceLineStatus;
  outcome: RemittanceLineOutcome;
  reason: string;
  claim_id: string | null;
  invoice_id: string | null;
  expected_cents: number | null;
  is_claim_named: boolean;
  ignored_reason: string | null;
  payment_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface RemittanceLineInput {
  po_number?: string | null;
  invoice_number?: string | null;
  amount_cents: number;
  note?: string | null;
}
export interface RemittanceLineListQuery {
  remittance_id?: string;
  status?: RemittanceLineStatus;
  outcome?: RemittanceLineOutcome;
  limit: number;
  cursor?: string;
}
export interface RemittanceLinePatch {
  claim_id?: string | null;
  ignored_reason?: string | null;
}
export interface Remittance {
  id: string;
  payer: string;
  reference: string;
  paid_on: string;
  total_cents: number;
  customer_id: string | null;
  status: RemittanceStatus;
  lines_cents: number;
  difference_cents: number;
  applied_cents: number;
  line_count: number;
  ready_count: number;
  open_count: number;
  applied_count: number;
  ignored_count: number;
  created_at: string;
  updated_at: string;
}
export interface RemittanceApply {
  [k: string]: unknown;
}
export interface RemittanceCreate {
  payer: string;
  reference: string;
  paid_on: string;
  total_cents: number;
  customer_id?: string | null;
  lines?: RemittanceLineInput[];
  csv?: string;
}
export interface RemittanceDelete {
  [k: string]: unknown;
}
export interface RemittanceListQuery {
  status?: RemittanceStatus;
  customer_id?: string;
  reference?: string;
  limit: number;
  cursor?: string;
}
export interface CustomerMethodsQuery {
  status?: SavedMethodStatus;
  limit: number;
  cursor?: string;
}
export interface SavedMethod {
  id: string;
  customer_id: string;
  connection_id: string | null;
  status: SavedMethodStatus;
  type: SavedMethodType;
  brand: string | null;
  last4: string | null;
  exp_month: number | null;
  exp_year: number | null;
  url: string | null;
  expires_at: string | null;
  verification_url: string | null;
  error: string | null;
  created_at: string;
  updated_at: string;
}
export interface SavedMethodCreate {
  [k: string]: unknown;
}
export interface SavedMethodListQuery {
  customer_id?: string;
  status?: SavedMethodStatus;
  limit: number;
  cursor?: string;
}
export interface FactorChallenge {
  challenge: string;
  kinds: FactorKind[];
  passkey: {
    [k: string]: unknown;
  } | null;
  expires_at: string;
}
export interface FactorProof {
  challenge?: string;
  code?: string;
  recovery_code?: string;
  passkey?: {
    [k: string]: unknown;
  };
}
export interface FactorSignIn {
  challenge: string;
  code?: string;
  recovery_code?: string;
  passkey?: {
    [k: string]: unknown;
  };
}
export interface OwnSession {
  id: string;
  user_agent: string | null;
  network: string | null;
  created_at: string;
  last_used_at: string | null;
  idle_expires_at: string;
  expires_at: string;
  is_current: boolean;
}
export interface OwnSessionListQuery {
  limit: number;
  cursor?: string;
}
export interface Session {
  id: string;
  user: {
    id: string;
    name: string;
    email: string;
    role: Role;
  };
  tenant: {
    id: string;
    name: string;
  };
  environment: Environment;
  created_at: string;
  expires_at: string;
  ended_at: string | null;
  has_factor: boolean;
  factor_proved_at: string | null;
  is_factor_setup_required: boolean;
}
export interface SessionRevoke {
  [k: string]: unknown;
}
export interface SignIn {
  email: string;
  password: string;
  tenant_id?: string;
}
export interface Settings {
  time_zone: string;
  tax_rate_bps: number;
  grace_days: number;
  terms_days: number;
  agent_gate_cents: number | null;
  agent_day_cents: number | null;
  business_name: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
  phone: string | null;
  email: string | null;
  remittance_text: string | null;
  logo: {
    content_type: "image/png" | "image/jpeg";
    width: number;
    height: number;
    bytes: number;
    updated_at: string;
  } | null;
  mail_subject: string | null;
  mail_text: string | null;
  sms_text: string | null;
  require_factor: boolean;
  driver_payments: boolean;
  updated_at: string;
}
export interface SettingsPatch {
  time_zone?: string;
  tax_rate_bps?: number;
  grace_days?: number;
  terms_days?: number;
  agent_gate_cents?: number | null;
  agent_day_cents?: number | null;
  business_name?: string | null;
  address?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  phone?: string | null;
  email?: string | null;
  remittance_text?: string | null;
  mail_subject?: string | null;
  mail_text?: string | null;
  sms_text?: string | null;
  require_factor?: boolean;
  driver_payments?: boolean;
}
export interface ProposedLine {
  name: string;
  description: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}
export interface Suggestion {
  id: string;
  kind: SuggestionKind;
  detector: string;
  entity_type: SuggestionEntity;
  entity_id: string;
  invoice_id: string | null;
  title: string;
  rationale: string;
  amount_cents: number;
  confidence: number;
  proposed_lines: ProposedLine[];
  status: SuggestionStatus;
  decided_by: {
    type: string;
    id: string | null;
    name: string | null;
  } | null;
  decided_at: string | null;
  note: string | null;
  created_at: string;
  updated_at: string;
}
export interface SuggestionAccept {
  [k: string]: unknown;
}
export interface SuggestionDismiss {
  reason?: string | null;
}
export interface SuggestionListQuery {
  kind?: SuggestionKind;
  status?: SuggestionStatus;
  detector?: string;
  entity_type?: SuggestionEntity;
  entity_id?: string;
  invoice_id?: string;
  limit: number;
  cursor?: string;
}
export interface SyncIssue {
  id: string;
  connection_id: string;
  kind: SyncIssueKind;
  status: SyncIssueStatus;
  operation_id: string | null;
  record_kind: string | null;
  record_id: string | null;
  message: string;
  ours: {
    [k: string]: unknown;
  } | null;
  theirs: {
    [k: string]: unknown;
  } | null;
  resolution: "retry" | "ours" | "theirs" | "ignore" | null;
  note: string | null;
  decided_by: string | null;
  decided_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface SyncIssueListQuery {
  connection_id?: string;
  status?: SyncIssueStatus;
  kind?: SyncIssueKind;
  limit: number;
  cursor?: string;
}
export interface SyncIssueResolve {
  resolution: IssueResolution;
  note?: string;
}
export interface TerminalPayment {
  id: string;
  invoice_id: string;
  reader_id: string;
  connection_id: string | null;
  amount_cents: number;
  status: TerminalPaymentStatus;
  failure_reason: string | null;
  payment_id: string | null;
  pretend_url: string | null;
  expires_at: string;
  cancel_requested_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface TerminalPaymentCancel {
  [k: string]: unknown;
}
export interface TerminalPaymentCreate {
  reader_id: string;
  amount_cents?: number;
}
export interface TerminalPaymentListQuery {
  invoice_id?: string;
  reader_id?: string;
  status?: TerminalPaymentStatus;
  limit: number;
  cursor?: string;
}
export interface TerminalReader {
  id: string;
  connection_id: string | null;
  label: string;
  device_type: string | null;
  status: TerminalReaderStatus;
  created_at: string;
  updated_at: string;
}
export interface TerminalReaderListQuery {
  connection_id?: string;
  status?: TerminalReaderStatus;
  limit: number;
  cursor?: string;
}
export interface TextConsent {
  id: string;
  number: string;
  state: ConsentState;
  source: ConsentSource;
  created_at: string;
  updated_at: string;
}
export interface TextConsentCreate {
  number: string;
  state: ConsentState;
}
export interface TextConsentListQuery {
  number?: string;
  state?: ConsentState;
  limit: number;
  cursor?: string;
}
export interface Truck {
  id: string;
  unit_number: string;
  duty_class: DutyClass;
  status: TruckStatus;
  driver_id: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  location: {
    lat: number;
    lng: number;
    heading: number | null;
    speed_mph: number | null;
    at: string;
    stale: boolean;
  } | null;
  current_work_order_id: string | null;
  created_at: string;
  updated_at: string;
  odometer: {
    miles: number;
    source: "obd" | "gps";
    read_at: string;
  } | null;
}
export interface TruckCreate {
  unit_number: string;
  duty_class: DutyClass;
  status?: SettableTruckStatus;
  driver_id?: string | null;
  vin?: string | null;
  plate?: string | null;
  make?: string | null;
  model?: string | null;
  year?: number | null;
  location?: {
    lat: number;
    lng: number;
    heading?: number | null;
    speed_mph?: number | null;
    at?: string;
  } | null;
}
export interface TruckListQuery {
  status?: TruckStatus;
  duty_class?: DutyClass;
  search?: string;
  limit: number;
  cursor?: string;
}
export interface TruckPatch {
  unit_number?: string;
  duty_class?: DutyClass;
  status?: SettableTruckStatus;
  driver_id?: string | null;
  vin?: string | null;
  plate?: string | null;
  make?: string | null;
  model?: string | null;
  year?: number | null;
  location?: {
    lat: number;
    lng: number;
    heading?: number | null;
    speed_mph?: number | null;
    at?: string;
  } | null;
}
export interface TruckPosition {
  id: string;
  truck_id: string;
  connection_id: string;
  lat: number;
  lng: number;
  heading: number | null;
  speed_mph: number | null;
  at: string;
}
export interface TruckPositionListQuery {
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}
export interface User {
  id: string;
  name: string;
  email: string;
  created_at: string;
  updated_at: string;
  deactivated_at: string | null;
  role: Role;
}
export interface UserCreate {
  name: string;
  email: string;
  password?: string;
  role?: Role;
}
export interface UserRevoke {
  [k: string]: unknown;
}
export interface UserListQuery {
  is_active?: boolean;
  limit: number;
  cursor?: string;
}
export interface UserPatch {
  name?: string;
  email?: string;
  password?: string;
  role?: Role;
}
export interface Acknowledgement {
  ok: true;
  message: string;
}
export interface PasswordResetRequest {
  email: string;
}
export interface PasswordResetUse {
  password: string;
}
export interface SignUp {
  company: string;
  name: string;
  email: string;
  password: string;
  signup_token?: string;
}
export interface SignUpCompleted {
  account: {
    id: string;
    name: string;
  };
  sandbox: {
    id: string;
  };
  user: {
    id: string;
    name: string;
    email: string;
  };
  api_key: string;
  sandbox_key: string;
}
export interface SignUpMode {
  mode: "closed" | "invite" | "open";
}
export interface SignUpOffer {
  company: string;
  email: string;
  expires_at: string;
}
export interface SignUpResend {
  email: string;
}
export interface SignUpVerify {
  password: string;
}
export interface WebhookAttempt {
  id: string;
  delivery_id: string;
  endpoint_id: string;
  attempt: number;
  started_at: string;
  url: string;
  request_headers: {
    [k: string]: unknown;
  };
  response_status: number | null;
  response_headers: {
    [k: string]: unknown;
  } | null;
  response_body: string | null;
  response_truncated: boolean;
  error_class: string | null;
  error_message: string | null;
  remote_address: string | null;
  connect_ms: number | null;
  first_byte_ms: number | null;
  total_ms: number;
}
export interface WebhookAttemptListQuery {
  limit: number;
  cursor?: string;
}
export interface WebhookDelivery {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  trigger: DeliveryTrigger;
  replay_id: string | null;
  replay_of: string | null;
  status: WebhookDeliveryStatus;
  attempts: number;
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  last_response_status: number | null;
  last_error: string | null;
  completed_at: string | null;
  created_at: string;
}
export interface WebhookDeliveryAction {
  [k: string]: unknown;
}
export interface WebhookDeliveryListQuery {
  endpoint_id?: string;
  event_type?: string;
  event_id?: string;
  status?: WebhookDeliveryStatus;
  trigger?: DeliveryTrigger;
  replay_id?: string;
  since?: string;
  until?: string;
  limit: number;
  cursor?: string;
}
export interface WebhookTest {
  type:
    | "invoice.created"
    | "invoice.sent"
    | "invoice.paid"
    | "invoice.overdue"
    | "work_order.created"
    | "work_order.completed"
    | "dispatch.assigned"
    | "ai.suggestion.created"
    | "message.received"
    | "payout.paid"
    | "payout.failed"
    | "club_offer.created"
    | "club_offer.accepted"
    | "club_offer.refused"
    | "club_offer.expired"
    | "club_offer.confirmed"
    | "club_offer.withdrawn"
    | "club_offer.status_changed"
    | "endpoint.failing"
    | "endpoint.disabled"
    | "endpoint.recovered"
    | "delivery.exhausted"
    | "export.completed";
}
export interface WebhookEndpoint {
  id: string;
  url: string;
  event_types: string[];
  description: string | null;
  header_names: string[];
  rate_limit_per_second: number | null;
  max_in_flight: number;
  enabled: boolean;
  disabled_reason: "user" | "failing" | "gone" | "receiver" | null;
  disabled_at: string | null;
  asymmetric: boolean;
  public_keys: string[];
  secrets: {
    id: string;
    scheme: "v1" | "v1a";
    created_at: string;
    expires_at: string | null;
  }[];
  health: {
    state: EndpointState;
    consecutive_failures: number;
    failing_since: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
    last_error: string | null;
    paused_until: string | null;
    disables_at: string | null;
  };
  created_at: string;
  updated_at: string;
  club_id: string | null;
}
export interface WebhookEndpointCreate {
  url: string;
  event_types: string[];
  description?: string | null;
  headers?: {
    [k: string]: string;
  } | null;
  rate_limit_per_second?: number | null;
  max_in_flight: number;
  enabled: boolean;
  asymmetric: boolean;
  club_id?: string | null;
}
export interface WebhookEndpointRevoke {
  [k: string]: unknown;
}
export interface WebhookEndpointListQuery {
  limit: number;
  cursor?: string;
}
export interface WebhookEndpointPatch {
  url?: string;
  event_types?: string[];
  description?: string | null;
  headers?: {
    [k: string]: string;
  } | null;
  rate_limit_per_second?: number | null;
  max_in_flight?: number;
  enabled?: boolean;
  asymmetric?: boolean;
}
export interface WebhookEndpointRotate {
  overlap_hours: number;
}
export interface WebhookEndpointWithSecret {
  id: string;
  url: string;
  event_types: string[];
  description: string | null;
  header_names: string[];
  rate_limit_per_second: number | null;
  max_in_flight: number;
  enabled: boolean;
  disabled_reason: "user" | "failing" | "gone" | "receiver" | null;
  disabled_at: string | null;
  asymmetric: boolean;
  public_keys: string[];
  secrets: {
    id: string;
    scheme: "v1" | "v1a";
    created_at: string;
    expires_at: string | null;
  }[];
  health: {
    state: EndpointState;
    consecutive_failures: number;
    failing_since: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
    last_error: string | null;
    paused_until: string | null;
    disables_at: string | null;
  };
  created_at: string;
  updated_at: string;
  club_id: string | null;
  secret: string | null;
}
export interface WebhookRecover {
  since: string;
  until?: string;
  dry_run?: boolean;
}
export interface WebhookReplay {
  id: string;
  kind: "replay" | "recover";
  endpoint_id: string | null;
  filter: {
    event_type: string | null;
    status: "succeeded" | "failed" | "exhausted" | "cancelled" | null;
    since: string | null;
    until: string | null;
  };
  status: WebhookReplayStatus;
  total: number | null;
  created_count: number;
  created_at: string;
  updated_at: string;
  completed_at: string | null;
}
export interface WebhookReplayAction {
  [k: string]: unknown;
}
export interface WebhookReplayCreate {
  endpoint_id?: string;
  event_type?: string;
  status: ReplayableStatus & string;
  since?: string;
  until?: string;
}
export interface WebhookReplayListQuery {
  limit: number;
  cursor?: string;
}
export interface AgentWorkOrder {
  id: string;
  job_number: string;
  billing_status: BillingStatus;
  service_type: string;
  customer_id: string | null;
  pickup_location: string | null;
  dropoff_location: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  vin: string | null;
  notes: string | null;
  customer_notes: string | null;
  billing_email: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  pickup: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  vehicle: {
    make: string | null;
    model: string | null;
    year: number | null;
  };
  unit_number: string | null;
  truck_id: string | null;
  driver_id: string | null;
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  driven: {
    miles: number | null;
    coverage: number;
    loaded_miles: number | null;
    loaded_coverage: number | null;
    measured_at: string;
    source: "positions" | "odometer" | null;
    loaded_source: "positions" | "odometer" | null;
  } | null;
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  allowed_actions: WorkOrderActionName[];
  dropoff: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  status: "new" | "pending" | "dispatched" | "in_progress" | "completed" | "cancelled";
}
export interface AgentWorkOrderListItem {
  id: string;
  job_number: string;
  status: "new" | "pending" | "dispatched" | "in_progress" | "completed" | "cancelled";
  billing_status: BillingStatus;
  service_type: string;
  customer_name?: string;
  pickup_location?: string;
  created_at: string;
}
export interface LoggedStep {
  id: string;
  at: string;
  recorded_at: string;
  action: LoggedAction;
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  truck_id: string | null;
  driver_id: string | null;
  lat: number | null;
  lng: number | null;
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  actor: {
    type: ActorType;
    id: string | null;
    name: string | null;
  };
}
export interface LoggedStepListQuery {
  limit: number;
  cursor?: string;
}
export interface WorkOrder {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  billing_status: BillingStatus;
  service_type: string;
  customer_id: string | null;
  pickup_location: string | null;
  dropoff_location: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  vin: string | null;
  notes: string | null;
  customer_notes: string | null;
  billing_email: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  pickup: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  vehicle: {
    make: string | null;
    model: string | null;
    year: number | null;
  };
  unit_number: string | null;
  truck_id: string | null;
  driver_id: string | null;
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  driven: {
    miles: number | null;
    coverage: number;
    loaded_miles: number | null;
    loaded_coverage: number | null;
    measured_at: string;
    source: "positions" | "odometer" | null;
    loaded_source: "positions" | "odometer" | null;
  } | null;
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  allowed_actions: WorkOrderActionName[];
  dropoff: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  driver_url?: string | null;
  tracking_url?: string | null;
  estimated_arrival_at?: string | null;
  proposed_step?:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
}
export interface WorkOrderAction {
  [k: string]: unknown;
}
export interface WorkOrderAssign {
  truck_id: string;
  driver_id?: string | null;
  eta?: string | null;
}
export interface WorkOrderCancel {
  reason: CancelReason;
  note?: string | null;
}
export interface WorkOrderComplete {
  at?: string;
  miles?: number;
}
export interface WorkOrderCreate {
  service_type: string;
  customer_id?: string | null;
  pickup_location?: string | null;
  dropoff_location?: string | null;
  vin?: string | null;
  notes?: string | null;
  customer_notes?: string | null;
  billing_email?: string | null;
  contact_name?: string | null;
  contact_phone?: string | null;
  pickup?: {
    address?: string | null;
    lat?: number | null;
    lng?: number | null;
  } | null;
  vehicle?: {
    make?: string | null;
    model?: string | null;
    year?: number | null;
  } | null;
  unit_number?: string | null;
  dropoff?: {
    address?: string | null;
    lat?: number | null;
    lng?: number | null;
  } | null;
}
export interface WorkOrderListItem {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  billing_status: BillingStatus;
  service_type: string;
  customer_id: string | null;
  pickup_location: string | null;
  dropoff_location: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  vin: string | null;
  notes: string | null;
  customer_notes: string | null;
  billing_email: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  pickup: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  vehicle: {
    make: string | null;
    model: string | null;
    year: number | null;
  };
  unit_number: string | null;
  truck_id: string | null;
  driver_id: string | null;
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  driven: {
    miles: number | null;
    coverage: number;
    loaded_miles: number | null;
    loaded_coverage: number | null;
    measured_at: string;
    source: "positions" | "odometer" | null;
    loaded_source: "positions" | "odometer" | null;
  } | null;
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  allowed_actions: WorkOrderActionName[];
  dropoff: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  customer_name?: string | null;
  truck_unit_number?: string | null;
  driver_name?: string | null;
}
export interface WorkOrderListQuery {
  status?: string;
  service_type?: string;
  customer_id?: string;
  search?: string;
  since?: string;
  until?: string;
  date_field?: "created_at" | "updated_at" | "dispatch_time" | "completion_time";
  expand?: string;
  sort?: "-created_at" | "created_at";
  limit: number;
  cursor?: string;
}
export interface WorkOrderPatch {
  service_type?: string;
  customer_id?: string | null;
  pickup_location?: string | null;
  dropoff_location?: string | null;
  vin?: string | null;
  notes?: string | null;
  customer_notes?: string | null;
  billing_email?: string | null;
  contact_name?: string | null;
  contact_phone?: string | null;
  pickup?: {
    address?: string | null;
    lat?: number | null;
    lng?: number | null;
  } | null;
  vehicle?: {
    make?: string | null;
    model?: string | null;
    year?: number | null;
  } | null;
  unit_number?: string | null;
  dropoff?: {
    address?: string | null;
    lat?: number | null;
    lng?: number | null;
  } | null;
}
export interface WorkOrderStepEntry {
  step: DriverStep;
  at?: string;
  lat?: number | null;
  lng?: number | null;
}
export interface WorkOrderPhoto {
  id: string;
  work_order_id: string;
  content_type: string;
  width: number;
  height: number;
  bytes: number;
  sha256: string;
  taken_at: string | null;
  uploaded_by: string | null;
  created_at: string;
  updated_at: string;
}
export interface WorkOrderPhotoListQuery {
  work_order_id?: string;
  limit: number;
  cursor?: string;
}
export interface WorkOrderPhotosQuery {
  limit: number;
  cursor?: string;
}
export interface Accepted {
  ok: true;
  data: {
    operation_id: string;
    status: "queued";
  };
}
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  details?: ErrorDetail[];
  requestId?: string;
}
export interface ErrorDetail {
  field?: string;
  code?: string;
  message?: string;
  [k: string]: unknown;
}
export interface Error {
  ok: false;
  error: ErrorBody;
}
export interface Me {
  tenant: {
    id: string;
    name: string;
    environment: Environment;
    time_zone: string;
  };
  key: {
    id: string;
    name: string;
    kind: "api" | "agent" | "user";
    permissions: string[];
    scopes: string[];
    read_only: boolean;
    expires_at: string | null;
  };
  tier: Tier;
  rate_limits: {
    window: "minute" | "hour";
    limit: number;
    remaining: number;
    reset_seconds: number;
  }[];
  mcp_url: string;
}
export interface Operation {
  id: string;
  status: OperationStatus;
  result?: {
    [k: string]: unknown;
  };
  error?: ErrorBody;
  created_at: string;
}
export interface WriteReceipt {
  ok: true;
  dry_run?: true;
  data: {
    id: string;
  };
  warnings?: string[];
}
export interface BookingCategory {
  category: string;
  account: string | null;
  invoices: number;
  total_cents: number;
}
export interface BookingConflict {
  code: BookingConflictCode;
  invoices: number;
  payments: number;
  message: string;
}
export interface BookingPreview {
  since: string;
  invoices: number;
  booked_invoices: number;
  invoiced_cents: number;
  payments: number;
  received_cents: number;
  new_customers: number;
  categories: BookingCategory[];
  conflicts: BookingConflict[];
}
export interface BookingPreviewQuery {
  since?: string;
}
export interface BookDifference {
  id: string;
  connection_id: string;
  month: string | null;
  code: BookDifferenceCode;
  invoice_id: string | null;
  external_id: string | null;
  invoice_number: string | null;
  message: string;
  ours: {
    status: string;
    month: string | null;
    number: string | null;
    total_cents: number;
    paid_cents: number;
  } | null;
  theirs: {
    status: string;
    month: string | null;
    number: string | null;
    total_cents: number;
    paid_cents: number;
  } | null;
  created_at: string;
}
export interface BookDifferenceListQuery {
  limit: number;
  cursor?: string;
}
export interface BookMonth {
  month: string;
  ours: {
    invoices: number;
    invoiced_cents: number;
    paid_cents: number;
    credited_cents: number;
  };
  theirs: {
    invoices: number;
    invoiced_cents: number;
    paid_cents: number;
    credited_cents: number | null;
  };
  drafts: number;
  differences: number;
}
export interface BookReconciliation {
  connection_id: string;
  status: BookReconciliationStatus;
  from: string;
  to: string;
  months: BookMonth[];
  differences: number;
  omitted: number;
  error: string | null;
  started_at: string;
  ended_at: string | null;
}
export interface ActiveJob {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  billing_status: BillingStatus;
  service_type: string;
  customer_id: string | null;
  pickup_location: string | null;
  dropoff_location: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  vin: string | null;
  notes: string | null;
  customer_notes: string | null;
  billing_email: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  pickup: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  vehicle: {
    make: string | null;
    model: string | null;
    year: number | null;
  };
  unit_number: string | null;
  truck_id: string | null;
  driver_id: string | null;
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  driven: {
    miles: number | null;
    coverage: number;
    loaded_miles: number | null;
    loaded_coverage: number | null;
    measured_at: string;
    source: "positions" | "odometer" | null;
    loaded_source: "positions" | "odometer" | null;
  } | null;
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  allowed_actions: WorkOrderActionName[];
  dropoff: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  driver_url?: string | null;
  tracking_url?: string | null;
  priority: number;
  elapsed_s: number;
  estimated_arrival_at: string | null;
  proposed_step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
}
export interface AgentDispatchBoard {
  generated_at: string;
  trucks: BoardTruck[];
  counts: {
    active_jobs: number;
    unassigned_work_orders: number;
    trucks: number;
    trucks_available: number;
  };
  omitted?: {
    active_jobs: number;
    trucks: number;
    unassigned_work_orders: number;
  };
  active_jobs: AgentWorkOrder[];
  unassigned_work_orders: AgentWorkOrder[];
}
export interface BoardTruck {
  id: string;
  unit_number: string;
  duty_class: DutyClass;
  status: TruckStatus;
  driver_id: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  location: {
    lat: number;
    lng: number;
    heading: number | null;
    speed_mph: number | null;
    at: string;
    stale: boolean;
  } | null;
  current_work_order_id: string | null;
  created_at: string;
  updated_at: string;
  odometer: {
    miles: number;
    source: "obd" | "gps";
    read_at: string;
  } | null;
  driver: {
    id: string;
    name: string;
    phone: string | null;
    duty_classes: DutyClass[];
    status: DriverStatus;
    created_at: string;
    updated_at: string;
  } | null;
}
export interface DispatchBoard {
  generated_at: string;
  active_jobs: ActiveJob[];
  trucks: BoardTruck[];
  unassigned_work_orders: UnassignedJob[];
  counts: {
    active_jobs: number;
    unassigned_work_orders: number;
    trucks: number;
    trucks_available: number;
  };
  customers?: {
    id: string;
    company_name: string;
  }[];
}
export interface UnassignedJob {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  billing_status: BillingStatus;
  service_type: string;
  customer_id: string | null;
  pickup_location: string | null;
  dropoff_location: string | null;
  dispatch_time: string | null;
  completion_time: string | null;
  vin: string | null;
  notes: string | null;
  customer_notes: string | null;
  billing_email: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  pickup: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  vehicle: {
    make: string | null;
    model: string | null;
    year: number | null;
  };
  unit_number: string | null;
  truck_id: string | null;
  driver_id: string | null;
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  driven: {
    miles: number | null;
    coverage: number;
    loaded_miles: number | null;
    loaded_coverage: number | null;
    measured_at: string;
    source: "positions" | "odometer" | null;
    loaded_source: "positions" | "odometer" | null;
  } | null;
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  allowed_actions: WorkOrderActionName[];
  dropoff: {
    address: string | null;
    lat: number | null;
    lng: number | null;
  };
  driver_url?: string | null;
  tracking_url?: string | null;
  estimated_arrival_at?: string | null;
  proposed_step?:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  priority: number;
  waiting_s: number;
}
export interface DispatchBoardQuery {
  expand?: string;
}
export interface MapStyle {
  style_url: string | null;
}
export interface CustomerStatement {
  customer_id: string;
  company_name: string;
  since: string;
  until: string;
  opening_balance_cents: number;
  invoiced_cents: number;
  paid_cents: number;
  refunded_cents: number;
  closing_balance_cents: number;
  aging: {
    current_cents: number;
    days_1_30_cents: number;
    days_31_60_cents: number;
    days_61_90_cents: number;
    over_90_cents: number;
  };
  entries: StatementEntry[];
}
export interface StatementEntry {
  at: string;
  kind: "invoice" | "payment" | "refund";
  id: string;
  reference: string;
  amount_cents: number;
  balance_cents: number;
}
export interface CustomerStatementQuery {
  since?: string;
  until?: string;
}
export interface EventType {
  type: string;
  description: string;
  fires_when: string;
  operational: boolean;
  schema: {
    [k: string]: unknown;
  };
}
export interface Overview {
  generated_at: string;
  work_orders: {
    open: number;
    unassigned: number;
  };
  invoices: {
    by_status: {
      status: InvoiceStatus;
      count: number;
      total_cents: number;
      has_more: boolean;
    }[];
    overdue_count: number;
    overdue_cents: number;
    aging: {
      current_cents: number;
      days_1_30_cents: number;
      days_31_60_cents: number;
      days_61_90_cents: number;
      over_90_cents: number;
    };
  };
  hours: OverviewHour[];
  delivery_success_rate: number | null;
  last_failures: WebhookDelivery[];
  first_steps: OverviewFirstSteps;
}
export interface OverviewHour {
  hour: string;
  work_orders: number;
  deliveries_succeeded: number;
  deliveries_failed: number;
  attempts_p50_ms: number | null;
  attempts_p95_ms: number | null;
}
export interface OverviewFirstSteps {
  api_key_created: boolean;
  api_key_used: boolean;
  agent_key_created: boolean;
  agent_key_used: boolean;
  webhook_endpoint_created: boolean;
  webhook_delivered: boolean;
  truck_created: boolean;
  work_order_created: boolean;
  invoice_created: boolean;
  payment_recorded: boolean;
  export_created: boolean;
  approval_decided: boolean;
}
export interface ExternalIdQuery {
  expand?: string;
}
export interface RecordQuery {
  expand?: string;
}
