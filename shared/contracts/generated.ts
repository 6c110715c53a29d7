/* Made from the Joi schemas by `npm run generate`. Do not edit. */

/**
 * - `read_invoices`: Read invoices
 * - `write_invoices_draft`: Create and change draft invoices
 * - `read_work_orders`: Read work orders
 * - `write_work_orders`: Create work orders
 * - `read_customers`: Read customers
 * - `read_dispatch`: Read the dispatch board
 * - `read_audit`: Read the audit log
 * - `propose_approvals`: Ask people to approve invoices
 */
export type AgentScope =
  | "read_invoices"
  | "write_invoices_draft"
  | "read_work_orders"
  | "write_work_orders"
  | "read_customers"
  | "read_dispatch"
  | "read_audit"
  | "propose_approvals";
/**
 * - `read`: Read every record
 * - `write`: Create and change records
 * - `approve`: Approve, send and void invoices, dispatch and cancel work orders, refund payments
 * - `admin`: Manage keys, people, webhooks, settings and exports
 */
export type Permission = "read" | "write" | "approve" | "admin";
/**
 * - `agent_write`: An agent's write that reached `agent_gate_cents` or `agent_day_cents`
 * - `invoice_approval`: An agent proposes to approve an invoice
 */
export type ApprovalKind = "agent_write" | "invoice_approval";
/**
 * - `pending`: Waits for a person
 * - `approved`: A person approved it, and the write has run
 * - `rejected`: A person rejected it. Nothing was stored
 * - `expired`: Nobody decided in time. Nothing was stored
 * - `cancelled`: No longer needed. `note` says why
 */
export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired" | "cancelled";
/**
 * - `user`: A signed-in person
 * - `agent`: An agent key
 * - `api_key`: An API key
 * - `system`: The service itself, such as its clock
 * - `integration`: A connected vendor
 */
export type ActorType = "user" | "agent" | "api_key" | "system" | "integration";
/**
 * - `ok`: Done
 * - `denied`: Refused because a permission or scope is missing
 * - `failed`: Refused for any other reason
 * - `dry_run`: Checked only. Nothing was stored
 * - `held`: Waits for the approval of a person
 */
export type AuditOutcome = "ok" | "denied" | "failed" | "dry_run" | "held";
/**
 * - `rest`: REST, with a key
 * - `mcp`: An agent tool
 * - `dashboard`: REST, by a signed-in person
 * - `webhook`: A call from a vendor
 * - `job`: The service itself, in the background
 */
export type AuditSource = "rest" | "mcp" | "dashboard" | "webhook" | "job";
/**
 * - `queued`: Created and not sent yet. It expires at `submit_by`
 * - `submitted`: Sent to the club, which has not responded yet
 * - `accepted`: The club accepted it and has not paid yet
 * - `paid`: The club paid what was expected
 * - `denied`: The club denied it. It expires at `respond_by` unless it is billed again
 * - `rebilling`: Being corrected after a denial, to be sent again
 * - `short_paid`: The club paid less than was expected
 * - `expired`: Its deadline has passed
 * - `withdrawn`: The tow company took it back
 */
export type ClaimStatus =
  "queued" | "submitted" | "accepted" | "paid" | "denied" | "rebilling" | "short_paid" | "expired" | "withdrawn";
/**
 * - `accepted`: The club will pay the claim
 * - `denied`: The club denies the claim; `code` and `reason` say why
 * - `paid`: The club paid; `amount_cents` is required
 */
export type ClubAnswer = "accepted" | "denied" | "paid";
/**
 * - `light`: Cars and light trucks
 * - `medium`: Delivery trucks and motor homes
 * - `heavy`: Buses, tractors and trailers
 */
export type DutyClass = "light" | "medium" | "heavy";
/**
 * - `active`: May be assigned to trucks and work orders
 * - `inactive`: No longer drives. Past work orders keep the name
 */
export type DriverStatus = "active" | "inactive";
/**
 * - `live`: The live account
 * - `sandbox`: The test twin of the live account. No mail, text or charge leaves it
 */
export type Environment = "live" | "sandbox";
/**
 * - `invoices`: Invoices
 * - `customers`: Customers
 * - `work_orders`: Work orders
 * - `inspections`: Inspections
 * - `all`: One zip of invoices, payments, refunds, customers, work_orders, inspections, trucks, drivers, rate_cards, impounds, claims, messages. As a dump: everything that the account owns
 */
export type ExportResource = "invoices" | "customers" | "work_orders" | "inspections" | "all";
/**
 * - `csv`: Comma-separated values, for spreadsheets
 * - `json`: One JSON array
 * - `ndjson`: One JSON object per line
 * - `dump`: SQL that psql can restore; only for `all`
 */
export type ExportFormat = "csv" | "json" | "ndjson" | "dump";
/**
 * - `queued`: Waits to be written
 * - `running`: Being written. `progress` shows how far
 * - `completed`: Written. Download it from `download_url`
 * - `failed`: Could not be written. `error` holds the reason
 * - `cancelled`: Cancelled before it was written
 * - `expired`: Its file has been deleted
 */
export type ExportStatus = "queued" | "running" | "completed" | "failed" | "cancelled" | "expired";
/**
 * - `daily`: Every day
 * - `weekly`: Once a week, on `weekday`
 * - `monthly`: Once a month, on `day`
 */
export type ExportCadence = "daily" | "weekly" | "monthly";
/**
 * - `all`: Every row that matches the filters
 * - `previous`: Of these, the rows of the previous day, week (from Monday) or month
 */
export type ExportPeriod = "all" | "previous";
/**
 * - `stored`: In the yard
 * - `hold`: In the yard, and may not leave until the hold ends
 * - `pending_release`: In the yard, and about to be picked up
 * - `released`: Has left the yard. Storage has ended
 * - `lien`: In the yard, with a lien for unpaid storage under way
 * - `auction`: In the yard, to be sold at auction
 * - `disposed`: Sold or scrapped. Storage has ended
 */
export type ImpoundStatus = "stored" | "hold" | "pending_release" | "released" | "lien" | "auction" | "disposed";
/**
 * - `stored`: In the yard
 * - `pending_release`: In the yard, and about to be picked up
 * - `lien`: In the yard, with a lien for unpaid storage under way
 * - `auction`: In the yard, to be sold at auction
 * - `disposed`: Sold or scrapped. Storage has ended
 */
export type PatchableImpoundStatus = "stored" | "pending_release" | "lien" | "auction" | "disposed";
/**
 * - `owner`: To its owner
 * - `insurance`: To an insurance company
 * - `lienholder`: To the lender that holds the title
 * - `no_charge`: Without a charge: storage that is not invoiced yet is waived
 * - `surrendered`: The owner gave up the vehicle
 * - `junked`: To a scrap yard
 * - `bill_account`: To be billed to the customer account
 */
export type ReleaseKind =
  "owner" | "insurance" | "lienholder" | "no_charge" | "surrendered" | "junked" | "bill_account";
/**
 * - `pre_trip`: Of the truck, before a shift
 * - `post_trip`: Of the truck, after a shift
 * - `vehicle_condition`: Of the customer's vehicle
 */
export type InspectionKind = "pre_trip" | "post_trip" | "vehicle_condition";
/**
 * - `ok`: In order
 * - `attention`: Works, but should be checked
 * - `fail`: Does not work
 * - `na`: Does not apply
 */
export type InspectionItemState = "ok" | "attention" | "fail" | "na";
/**
 * - `minor`: Can wait for the next service
 * - `major`: Must be repaired soon
 * - `out_of_service`: The truck must not be dispatched until the defect is resolved
 */
export type DefectSeverity = "minor" | "major" | "out_of_service";
/**
 * - `pass`: Nothing failed
 * - `pass_with_defects`: An item failed, or a defect is unresolved
 * - `out_of_service`: A defect that takes the truck out of service is unresolved
 */
export type InspectionResult = "pass" | "pass_with_defects" | "out_of_service";
/**
 * - `queued`: On its way to the provider
 * - `sent`: The provider accepted it
 * - `failed`: It could not be delivered
 */
export type DeliveryState = "queued" | "sent" | "failed";
/**
 * - `draft`: Being prepared. Line items may change, and the customer sees nothing yet
 * - `needs_review`: A person must check it before it can be approved. Line items may change
 * - `approved`: Ready to be sent. Line items are locked
 * - `sending`: Released to the customer and not viewed yet. `delivery.state` says whether the message has left
 * - `sent_to_roadsync`: Submitted to the motor-club billing partner
 * - `viewed`: The customer has opened it
 * - `partially_paid`: Some of the total is paid
 * - `paid`: The whole total is paid
 * - `overdue`: Released and past its due date plus the days of grace, with a balance left
 * - `disputed`: The customer or the motor club objects
 * - `failed`: The message could not be delivered, or the partner denied it. `delivery.reason` says why
 * - `void`: Annulled after its release. It keeps its number and can no longer change
 * - `cancelled`: Abandoned before its release. It keeps its number and can no longer change
 */
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
/**
 * - `approve`: Release it for sending
 * - `send`: Send it to the customer, or send it again
 * - `return`: Take it back for changes
 * - `dispute`: Record that the customer objects
 * - `resolve`: End the dispute
 * - `cancel`: Abandon it before its release
 * - `void`: Annul it after its release
 */
export type InvoiceActionName = "approve" | "send" | "return" | "dispute" | "resolve" | "cancel" | "void";
/**
 * - `email`: A mail
 * - `sms`: A text message
 */
export type MessageChannel = "email" | "sms";
/**
 * - `cash`: Cash
 * - `check`: A paper check
 * - `card`: A credit or debit card
 * - `ach`: A bank transfer over ACH
 * - `motor_club`: A payment by a motor club
 * - `other`: Anything else
 */
export type PaymentMethod = "cash" | "check" | "card" | "ach" | "motor_club" | "other";
/**
 * - `missed_fee`: Comparable jobs were billed a fee that this one was not
 * - `denial`: A motor club denied a claim, and no automatic rebill applies
 * - `anomaly`: An amount, distance or time is unusual, or a record looks like a duplicate
 */
export type SuggestionKind = "missed_fee" | "denial" | "anomaly";
/**
 * - `invoice`: An invoice
 * - `work_order`: A work order
 * - `claim`: A motor-club claim
 */
export type SuggestionEntity = "invoice" | "work_order" | "claim";
/**
 * - `open`: Waits for a decision
 * - `accepted`: Accepted by a person or an API key
 * - `dismissed`: Dismissed by a person or an API key
 * - `expired`: Its invoice is paid, void or cancelled, or the finding no longer applies
 */
export type SuggestionStatus = "open" | "accepted" | "dismissed" | "expired";
/**
 * - `available`: Free for a work order
 * - `assigned`: Has a work order and has not left yet
 * - `en_route`: On the way to the vehicle
 * - `on_scene`: At the vehicle
 * - `towing`: Has the vehicle hooked or loaded
 * - `returning`: Has delivered the vehicle and is on the way back
 * - `off_duty`: Not driven by anyone now
 * - `out_of_service`: Must not be dispatched
 */
export type TruckStatus =
  "available" | "assigned" | "en_route" | "on_scene" | "towing" | "returning" | "off_duty" | "out_of_service";
/**
 * - `available`: Free for a work order
 * - `returning`: On the way back from a work order
 * - `off_duty`: Not driven by anyone now
 * - `out_of_service`: Must not be dispatched
 */
export type SettableTruckStatus = "available" | "returning" | "off_duty" | "out_of_service";
/**
 * - `event`: The event itself
 * - `replay`: A replay of an earlier delivery
 * - `recover`: A recovery of events that were not delivered
 * - `test`: POST /webhook-endpoints/{id}/test
 * - `probe`: A check whether a disabled endpoint works again
 */
export type DeliveryTrigger = "event" | "replay" | "recover" | "test" | "probe";
/**
 * - `pending`: Waits for its first attempt
 * - `delivering`: An attempt is under way
 * - `succeeded`: The endpoint answered 2xx
 * - `failed`: The last attempt failed, and another will follow
 * - `exhausted`: All attempts failed, and no other will follow
 * - `cancelled`: A client cancelled it, or its endpoint was disabled or deleted
 */
export type WebhookDeliveryStatus = "pending" | "delivering" | "succeeded" | "failed" | "exhausted" | "cancelled";
/**
 * - `user`: A person or a key disabled it
 * - `failing`: It failed for five days
 * - `gone`: It answered 410
 * - `receiver`: Its receiver asked for it by a header
 */
export type DisabledReason = "user" | "failing" | "gone" | "receiver";
/**
 * - `healthy`: The last delivery succeeded
 * - `failing`: The last delivery failed
 * - `paused`: It failed repeatedly, so deliveries pause for a while
 * - `throttled`: Its receiver asked for a pause, or the account reached the limit per minute for its host
 * - `slow`: It answers slowly, so its deliveries run apart from those of fast endpoints
 * - `disabled`: It receives nothing. `disabled_reason` says why
 * - `unknown`: Nothing was sent yet
 */
export type EndpointState = "healthy" | "failing" | "paused" | "throttled" | "slow" | "disabled" | "unknown";
/**
 * - `succeeded`: The endpoint answered 2xx
 * - `failed`: The last attempt failed, and another will follow
 * - `exhausted`: All attempts failed
 * - `cancelled`: A client cancelled it, or its endpoint was disabled or deleted
 */
export type ReplayableStatus = "succeeded" | "failed" | "exhausted" | "cancelled";
/**
 * - `running`: The service is still creating deliveries
 * - `completed`: All deliveries are created. Some may not have arrived yet
 * - `cancelled`: Cancelled, with the deliveries that were still open
 */
export type WebhookReplayStatus = "running" | "completed" | "cancelled";
/**
 * - `unbilled`: The work order is not completed and has no invoice
 * - `ready_to_bill`: The work order has ended, may be billed and has no invoice
 * - `invoiced`: An invoice exists and is not released yet
 * - `billed`: An invoice is released
 * - `partially_paid`: Its invoice is paid in part
 * - `paid`: Its invoice is paid
 * - `disputed`: Its invoice is disputed
 * - `not_billable`: The work order was cancelled without a charge
 */
export type BillingStatus =
  "unbilled" | "ready_to_bill" | "invoiced" | "billed" | "partially_paid" | "paid" | "disputed" | "not_billable";
/**
 * - `customer`: The customer cancelled
 * - `club`: The motor club cancelled
 * - `provider`: The tow company cancelled
 * - `goa`: Gone on arrival: the vehicle was not there
 * - `unsuccessful`: The truck was there and could not do the job
 */
export type CancelReason = "customer" | "club" | "provider" | "goa" | "unsuccessful";
/**
 * - `offered`: The job was offered to the driver
 * - `acknowledged`: The driver accepted it
 * - `en_route`: On the way to the vehicle
 * - `on_scene`: At the vehicle
 * - `hooked`: The vehicle is hooked or loaded
 * - `towing`: On the way to the destination
 * - `at_destination`: At the destination
 * - `cleared`: The vehicle is unloaded, and the truck is free
 */
export type DriverStep =
  "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared";
/**
 * - `pending`: Waits for a truck
 * - `dispatched`: A truck is assigned
 * - `in_progress`: The driver has started the work
 * - `completed`: The work is done and can be invoiced
 * - `cancelled`: Cancelled. `cancel_reason` says why
 */
export type WorkOrderStatus = "pending" | "dispatched" | "in_progress" | "completed" | "cancelled";
/**
 * - `validation_error`: HTTP 400
 * - `invalid_json`: HTTP 400
 * - `invalid_cursor`: HTTP 400
 * - `invalid_idempotency_key`: HTTP 400
 * - `line_total_mismatch`: HTTP 400
 * - `unauthorized`: HTTP 401
 * - `insufficient_scope`: HTTP 403
 * - `read_only_key`: HTTP 403
 * - `agent_key_required`: HTTP 403
 * - `forbidden`: HTTP 403
 * - `not_found`: HTTP 404
 * - `method_not_allowed`: HTTP 405
 * - `not_acceptable`: HTTP 406
 * - `conflict`: HTTP 409
 * - `duplicate_invoice_number`: HTTP 409
 * - `invalid_status_transition`: HTTP 409
 * - `invoice_locked`: HTTP 409
 * - `approval_already_pending`: HTTP 409
 * - `idempotency_in_progress`: HTTP 409
 * - `precondition_failed`: HTTP 412
 * - `payload_too_large`: HTTP 413
 * - `unsupported_media_type`: HTTP 415
 * - `idempotency_key_reused`: HTTP 422
 * - `precondition_required`: HTTP 428
 * - `rate_limited`: HTTP 429
 * - `internal_error`: HTTP 500
 * - `provider_error`: HTTP 502
 * - `service_unavailable`: HTTP 503
 */
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
/**
 * - `starter`: 60 calls a minute and 1,000 an hour, unless the operator set other limits
 * - `standard`: 300 calls a minute and 5,000 an hour, unless the operator set other limits
 * - `premium`: 1,000 calls a minute and 20,000 an hour, unless the operator set other limits
 */
export type Tier = "starter" | "standard" | "premium";
/**
 * - `queued`: Stored and not run yet. It will run by itself
 * - `succeeded`: Done; `result` holds the response
 * - `failed`: Refused; `error` says why
 */
export type OperationStatus = "queued" | "succeeded" | "failed";

export interface Contracts {
  AgentKey?: AgentKey;
  AgentKeyCreate?: AgentKeyCreate;
  AgentKeyListQuery?: AgentKeyListQuery;
  AgentKeyWithSecret?: AgentKeyWithSecret;
  ApiKey?: ApiKey;
  ApiKeyCreate?: ApiKeyCreate;
  ApiKeyListQuery?: ApiKeyListQuery;
  ApiKeyRevoke?: ApiKeyRevoke;
  ApiKeyRoll?: ApiKeyRoll;
  ApiKeyWithSecret?: ApiKeyWithSecret;
  Approval?: Approval;
  ApprovalApprove?: ApprovalApprove;
  ApprovalChange?: ApprovalChange;
  ApprovalListQuery?: ApprovalListQuery;
  ApprovalPropose?: ApprovalPropose;
  ApprovalReject?: ApprovalReject;
  Held?: Held;
  AgentAuditListItem?: AgentAuditListItem;
  AuditEntry?: AuditEntry;
  AuditListQuery?: AuditListQuery;
  Claim?: Claim;
  ClaimAction?: ClaimAction;
  ClaimCreate?: ClaimCreate;
  ClaimListQuery?: ClaimListQuery;
  ClaimOutcome?: ClaimOutcome;
  ClaimPatch?: ClaimPatch;
  ClaimStatus?: ClaimStatus;
  ClaimWithdraw?: ClaimWithdraw;
  ClubAnswer?: ClubAnswer;
  Evidence?: Evidence;
  EvidenceInput?: EvidenceInput;
  AgentCustomerListItem?: AgentCustomerListItem;
  Customer?: Customer;
  CustomerCreate?: CustomerCreate;
  CustomerListQuery?: CustomerListQuery;
  CustomerPatch?: CustomerPatch;
  Driver?: Driver;
  DriverCreate?: DriverCreate;
  DriverListQuery?: DriverListQuery;
  DriverPatch?: DriverPatch;
  Event?: Event;
  EventListQuery?: EventListQuery;
  EventStreamQuery?: EventStreamQuery;
  ExportAction?: ExportAction;
  ExportCreate?: ExportCreate;
  ExportFormat?: ExportFormat;
  ExportListQuery?: ExportListQuery;
  Export?: Export;
  ExportResource?: ExportResource;
  ExportStatus?: ExportStatus;
  ExportCadence?: ExportCadence;
  ExportPeriod?: ExportPeriod;
  ExportSchedule?: ExportSchedule;
  ExportScheduleCreate?: ExportScheduleCreate;
  ExportScheduleDelete?: ExportScheduleDelete;
  ExportScheduleListQuery?: ExportScheduleListQuery;
  ExportSchedulePatch?: ExportSchedulePatch;
  Impound?: Impound;
  ImpoundAction?: ImpoundAction;
  ImpoundCreate?: ImpoundCreate;
  ImpoundHold?: ImpoundHold;
  ImpoundListQuery?: ImpoundListQuery;
  ImpoundPatch?: ImpoundPatch;
  ImpoundRelease?: ImpoundRelease;
  ImpoundStatus?: ImpoundStatus;
  PatchableImpoundStatus?: PatchableImpoundStatus;
  ReleaseKind?: ReleaseKind;
  Inspection?: Inspection;
  InspectionCreate?: InspectionCreate;
  InspectionListQuery?: InspectionListQuery;
  InspectionPatch?: InspectionPatch;
  DeliveryState?: DeliveryState;
  InvoiceDraftLine?: InvoiceDraftLine;
  Invoice?: Invoice;
  InvoiceAction?: InvoiceAction;
  InvoiceActionName?: InvoiceActionName;
  InvoiceCreate?: InvoiceCreate;
  InvoiceDraft?: InvoiceDraft;
  InvoiceListItem?: InvoiceListItem;
  InvoiceListQuery?: InvoiceListQuery;
  InvoicePatch?: InvoicePatch;
  InvoiceReason?: InvoiceReason;
  InvoiceSend?: InvoiceSend;
  LineItem?: LineItem;
  LineItemInput?: LineItemInput;
  SentInvoice?: SentInvoice;
  Message?: Message;
  MessageAction?: MessageAction;
  MessageChannel?: MessageChannel;
  MessageListItem?: MessageListItem;
  MessageListQuery?: MessageListQuery;
  Notice?: Notice;
  NoticeListQuery?: NoticeListQuery;
  NoticeRead?: NoticeRead;
  InvoicePaymentListQuery?: InvoicePaymentListQuery;
  Payment?: Payment;
  PaymentCreate?: PaymentCreate;
  PaymentListQuery?: PaymentListQuery;
  RefundCreate?: RefundCreate;
  JobPrice?: JobPrice;
  PriceExplanation?: PriceExplanation;
  RateCard?: RateCard;
  RateCardCreate?: RateCardCreate;
  RateCardItem?: RateCardItem;
  RateCardItemInput?: RateCardItemInput;
  RateCardListQuery?: RateCardListQuery;
  Session?: Session;
  SessionRevoke?: SessionRevoke;
  SignIn?: SignIn;
  Settings?: Settings;
  SettingsPatch?: SettingsPatch;
  ProposedLine?: ProposedLine;
  Suggestion?: Suggestion;
  SuggestionAccept?: SuggestionAccept;
  SuggestionDismiss?: SuggestionDismiss;
  SuggestionEntity?: SuggestionEntity;
  SuggestionKind?: SuggestionKind;
  SuggestionListQuery?: SuggestionListQuery;
  SuggestionStatus?: SuggestionStatus;
  Truck?: Truck;
  TruckCreate?: TruckCreate;
  TruckListQuery?: TruckListQuery;
  TruckPatch?: TruckPatch;
  User?: User;
  UserCreate?: UserCreate;
  UserRevoke?: UserRevoke;
  UserListQuery?: UserListQuery;
  UserPatch?: UserPatch;
  DeliveryTrigger?: DeliveryTrigger;
  WebhookAttempt?: WebhookAttempt;
  WebhookAttemptListQuery?: WebhookAttemptListQuery;
  WebhookDelivery?: WebhookDelivery;
  WebhookDeliveryAction?: WebhookDeliveryAction;
  WebhookDeliveryListQuery?: WebhookDeliveryListQuery;
  WebhookDeliveryStatus?: WebhookDeliveryStatus;
  WebhookTest?: WebhookTest;
  DisabledReason?: DisabledReason;
  EndpointState?: EndpointState;
  WebhookEndpoint?: WebhookEndpoint;
  WebhookEndpointCreate?: WebhookEndpointCreate;
  WebhookEndpointRevoke?: WebhookEndpointRevoke;
  WebhookEndpointListQuery?: WebhookEndpointListQuery;
  WebhookEndpointPatch?: WebhookEndpointPatch;
  WebhookEndpointRotate?: WebhookEndpointRotate;
  WebhookEndpointWithSecret?: WebhookEndpointWithSecret;
  ReplayableStatus?: ReplayableStatus;
  WebhookRecover?: WebhookRecover;
  WebhookReplay?: WebhookReplay;
  WebhookReplayAction?: WebhookReplayAction;
  WebhookReplayCreate?: WebhookReplayCreate;
  WebhookReplayListQuery?: WebhookReplayListQuery;
  WebhookReplayStatus?: WebhookReplayStatus;
  AgentWorkOrder?: AgentWorkOrder;
  AgentWorkOrderListItem?: AgentWorkOrderListItem;
  CancelReason?: CancelReason;
  DriverStep?: DriverStep;
  WorkOrder?: WorkOrder;
  WorkOrderAction?: WorkOrderAction;
  WorkOrderAssign?: WorkOrderAssign;
  WorkOrderCancel?: WorkOrderCancel;
  WorkOrderComplete?: WorkOrderComplete;
  WorkOrderCreate?: WorkOrderCreate;
  WorkOrderListQuery?: WorkOrderListQuery;
  WorkOrderPatch?: WorkOrderPatch;
  WorkOrderStepEntry?: WorkOrderStepEntry;
  ActorType?: ActorType;
  AgentScope?: AgentScope;
  ApprovalKind?: ApprovalKind;
  ApprovalStatus?: ApprovalStatus;
  AuditOutcome?: AuditOutcome;
  AuditSource?: AuditSource;
  BillingStatus?: BillingStatus;
  DefectSeverity?: DefectSeverity;
  DriverStatus?: DriverStatus;
  DutyClass?: DutyClass;
  Environment?: Environment;
  ErrorCode?: ErrorCode;
  InspectionItemState?: InspectionItemState;
  InspectionKind?: InspectionKind;
  InspectionResult?: InspectionResult;
  InvoiceStatus?: InvoiceStatus;
  PaymentMethod?: PaymentMethod;
  Permission?: Permission;
  SettableTruckStatus?: SettableTruckStatus;
  Tier?: Tier;
  TruckStatus?: TruckStatus;
  WorkOrderStatus?: WorkOrderStatus;
  Accepted?: Accepted;
  ErrorBody?: ErrorBody;
  ErrorDetail?: ErrorDetail;
  Error?: Error;
  Me?: Me;
  Operation?: Operation;
  OperationStatus?: OperationStatus;
  WriteReceipt?: WriteReceipt;
  ActiveJob?: ActiveJob;
  AgentDispatchBoard?: AgentDispatchBoard;
  BoardTruck?: BoardTruck;
  DispatchBoard?: DispatchBoard;
  UnassignedJob?: UnassignedJob;
  CustomerStatement?: CustomerStatement;
  CustomerStatementQuery?: CustomerStatementQuery;
  StatementEntry?: StatementEntry;
  EventType?: EventType;
}
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
  /**
   * What the agent may do. Each tool requires one scope; no scope implies another
   */
  scopes: AgentScope[];
  /**
   * A read-only key can have only scopes that begin with read_
   */
  read_only: boolean;
  /**
   * When the key expires
   */
  expires_at?: string | null;
}
export interface AgentKeyListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
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
  /**
   * The credential itself, returned only in this response; null in a dry run
   */
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
  /**
   * - `starter`: 60 calls a minute and 1,000 an hour, unless the operator set other limits
   * - `standard`: 300 calls a minute and 5,000 an hour, unless the operator set other limits
   * - `premium`: 1,000 calls a minute and 20,000 an hour, unless the operator set other limits
   */
  tier: "starter" | "standard" | "premium" | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}
export interface ApiKeyCreate {
  name: string;
  permissions: Permission[];
  read_only: boolean;
  /**
   * A lower plan tier for this key; null: the account's
   *
   * - `starter`: 60 calls a minute and 1,000 an hour, unless the operator set other limits
   * - `standard`: 300 calls a minute and 5,000 an hour, unless the operator set other limits
   * - `premium`: 1,000 calls a minute and 20,000 an hour, unless the operator set other limits
   */
  tier?: "starter" | "standard" | "premium" | null;
  expires_at?: string | null;
}
export interface ApiKeyListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface ApiKeyRevoke {
  [k: string]: unknown;
}
export interface ApiKeyRoll {
  /**
   * How long the old key keeps working; 0 ends it immediately
   */
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
  /**
   * - `starter`: 60 calls a minute and 1,000 an hour, unless the operator set other limits
   * - `standard`: 300 calls a minute and 5,000 an hour, unless the operator set other limits
   * - `premium`: 1,000 calls a minute and 20,000 an hour, unless the operator set other limits
   */
  tier: "starter" | "standard" | "premium" | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  /**
   * The credential itself, returned only in this response; null in a dry run
   */
  key: string | null;
}
export interface Approval {
  id: string;
  kind: ApprovalKind;
  /**
   * A pending approval past expires_at is expired
   */
  status: ApprovalStatus;
  /**
   * The command that approving runs
   */
  action: string;
  /**
   * The agent key that sent the request; null if none did
   */
  agent_id: string | null;
  agent_name: string | null;
  /**
   * The agent tool that was called; null for a REST request
   */
  tool: string | null;
  /**
   * The input of the request, after validation
   */
  payload: {
    [k: string]: unknown;
  };
  /**
   * Total of the invoice that would result, tax included
   */
  amount_cents: number;
  /**
   * amount_cents plus the drafts that held_by counts with it; null for a proposal
   */
  counted_cents: number | null;
  /**
   * The setting whose threshold counted_cents reached; null for a proposal
   */
  held_by: "agent_gate_cents" | "agent_day_cents" | null;
  justification: string | null;
  /**
   * The invoice concerned; null until a held invoice is created
   */
  invoice_id: string | null;
  /**
   * updated_at of that invoice when this was shown; null when there was none
   */
  record_version: string | null;
  /**
   * SHA-256 of the canonical JSON of payload, amount_cents and record_version
   */
  hash: string;
  /**
   * What changed in amount_cents and record_version since this was first shown
   */
  changes: ApprovalChange[];
  /**
   * The user who decided
   */
  decided_by: string | null;
  decided_at: string | null;
  /**
   * The note of the person who decided, or why the approval was cancelled
   */
  note: string | null;
  expires_at: string;
  created_at: string;
}
export interface ApprovalChange {
  field: string;
  [k: string]: unknown;
}
export interface ApprovalApprove {
  /**
   * The hash of the approval as it was shown. A different hash is 409 conflict, with the changes. Optional only while changes is empty
   */
  hash?: string;
  /**
   * Stored with the decision
   */
  note?: string;
}
export interface ApprovalListQuery {
  status?: ApprovalStatus;
  kind?: ApprovalKind;
  agent_id?: string;
  invoice_id?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface ApprovalPropose {
  /**
   * What is proposed. Only the approval of an invoice is supported
   */
  kind: "invoice_approval";
  /**
   * A draft, or an invoice that needs review
   */
  invoice_id: string;
  /**
   * Shown to the person who decides
   */
  justification: string;
}
export interface ApprovalReject {
  /**
   * Stored as the note of the decision
   */
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
  /**
   * failed: refused by a rule; denied: missing rights; held: awaits approval
   */
  outcome: AuditOutcome;
  source?: AuditSource;
  /**
   * The tool that the agent called
   */
  tool?: string | null;
  /**
   * Never contains secrets. A list of records, such as line_items, is a summary: {count, names, total_cents}
   */
  changes?: {
    field: string;
    /**
     * null if there was no value
     */
    from?: {
      [k: string]: unknown;
    };
    /**
     * null if the value was cleared
     */
    to?: {
      [k: string]: unknown;
    };
  }[];
  request_id?: string | null;
  idempotency_key?: string | null;
  ip?: string | null;
  user_agent?: string | null;
  /**
   * Names of the first changed fields
   */
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
  /**
   * failed: refused by a rule; denied: missing rights; held: awaits approval
   */
  outcome: AuditOutcome;
  source: AuditSource;
  /**
   * The tool that the agent called
   */
  tool: string | null;
  /**
   * Never contains secrets. A list of records, such as line_items, is a summary: {count, names, total_cents}
   */
  changes: {
    field: string;
    /**
     * null if there was no value
     */
    from?: {
      [k: string]: unknown;
    };
    /**
     * null if the value was cleared
     */
    to?: {
      [k: string]: unknown;
    };
  }[];
  request_id: string | null;
  idempotency_key: string | null;
  ip: string | null;
  user_agent: string | null;
}
export interface AuditListQuery {
  /**
   * Kind of record
   */
  entity_type?: string;
  /**
   * One record
   */
  entity_id?: string;
  /**
   * Id of a person, key or agent; or a kind of actor: user, agent, api_key, system, integration
   */
  actor?: string;
  action?: string;
  outcome?: AuditOutcome;
  /**
   * From this timestamp on; a date is the account's midnight
   */
  since?: string;
  /**
   * Before this timestamp; a date is the account's midnight
   */
  until?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
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
  /**
   * How many times the claim was sent, at most 3
   */
  attempt: number;
  submitted_at: string | null;
  /**
   * 60 days after the service. A claim that is still queued then expires
   */
  submit_by: string;
  /**
   * 30 days after a denial. A claim that is not billed again by then expires
   */
  respond_by: string | null;
  denial_code: string | null;
  denial_reason: string | null;
  expected_cents: number;
  paid_cents: number;
  evidence: Evidence[];
  created_at: string;
  updated_at: string;
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
  /**
   * The tow company's provider number with the club
   */
  provider_id?: string | null;
  po_number?: string | null;
  /**
   * Default: the invoice's balance
   */
  expected_cents?: number;
  evidence?: EvidenceInput[];
}
export interface EvidenceInput {
  /**
   * Open vocabulary. Published values: photo, document, note.
   */
  kind: string;
  url: string;
  note: string | null;
}
export interface ClaimListQuery {
  status?: ClaimStatus;
  invoice_id?: string;
  /**
   * Part of club or po_number
   */
  search?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface ClaimOutcome {
  /**
   * The club's response
   */
  outcome: ClubAnswer;
  /**
   * The club's code for a denial. The service has advice for each published code
   */
  code?: string | null;
  /**
   * The club's own words
   */
  reason?: string | null;
  /**
   * Required for a payment. Less than expected_cents makes the claim short_paid
   */
  amount_cents?: number;
  /**
   * Reference of a payment
   */
  reference?: string | null;
}
export interface ClaimPatch {
  club?: string;
  /**
   * The tow company's provider number with the club
   */
  provider_id?: string | null;
  po_number?: string | null;
  expected_cents?: number;
  evidence?: EvidenceInput[];
}
export interface ClaimWithdraw {
  reason: string;
}
export interface AgentCustomerListItem {
  id: string;
  company_name: string;
  /**
   * Open vocabulary. Published values: cash, motor_club, insurance, dealership, repair_shop, body_shop, fleet, police, municipality, property_management, rental, transport, auction, other.
   */
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
  /**
   * Any version of a rate card; the version in force prices this customer's work orders. null: the default
   */
  rate_card_id?: string | null;
  /**
   * Open amount of released invoices
   */
  balance_cents: number;
  /**
   * The overdue part of balance_cents
   */
  overdue_cents: number;
  /**
   * Overpaid and not refunded
   */
  credit_cents?: number;
  created_at?: string;
  updated_at?: string;
}
export interface Customer {
  id: string;
  company_name: string;
  /**
   * Open vocabulary. Published values: cash, motor_club, insurance, dealership, repair_shop, body_shop, fleet, police, municipality, property_management, rental, transport, auction, other.
   */
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
  /**
   * Any version of a rate card; the version in force prices this customer's work orders. null: the default
   */
  rate_card_id: string | null;
  /**
   * Open amount of released invoices
   */
  balance_cents: number;
  /**
   * The overdue part of balance_cents
   */
  overdue_cents: number;
  /**
   * Overpaid and not refunded
   */
  credit_cents: number;
  created_at: string;
  updated_at: string;
}
export interface CustomerCreate {
  company_name: string;
  /**
   * Open vocabulary. Published values: cash, motor_club, insurance, dealership, repair_shop, body_shop, fleet, police, municipality, property_management, rental, transport, auction, other.
   */
  company_type?: string;
  billing_email?: string | null;
  primary_phone?: string | null;
  address?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  /**
   * Payment terms; null: the account's
   */
  terms_days?: number | null;
  tax_exempt?: boolean;
  /**
   * Tax in basis points; null: the account's
   */
  tax_rate_bps?: number | null;
  /**
   * Any version of a rate card; the version in force prices this customer's work orders. null: the default
   */
  rate_card_id?: string | null;
}
export interface CustomerListQuery {
  /**
   * Part of company_name or billing_email
   */
  search?: string;
  /**
   * Open vocabulary. Published values: cash, motor_club, insurance, dealership, repair_shop, body_shop, fleet, police, municipality, property_management, rental, transport, auction, other.
   */
  company_type?: string;
  is_active?: boolean;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface CustomerPatch {
  company_name?: string;
  /**
   * Open vocabulary. Published values: cash, motor_club, insurance, dealership, repair_shop, body_shop, fleet, police, municipality, property_management, rental, transport, auction, other.
   */
  company_type?: string;
  billing_email?: string | null;
  primary_phone?: string | null;
  address?: string | null;
  city?: string | null;
  state?: string | null;
  zip?: string | null;
  is_active?: boolean;
  /**
   * Payment terms; null: the account's
   */
  terms_days?: number | null;
  tax_exempt?: boolean;
  /**
   * Tax in basis points; null: the account's
   */
  tax_rate_bps?: number | null;
  /**
   * Any version of a rate card; the version in force prices this customer's work orders. null: the default
   */
  rate_card_id?: string | null;
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
  /**
   * Classes of trucks that the driver may drive
   */
  duty_classes?: DutyClass[];
  status?: DriverStatus;
}
export interface DriverListQuery {
  status?: DriverStatus;
  /**
   * Part of name
   */
  search?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface DriverPatch {
  name?: string;
  phone?: string | null;
  /**
   * Classes of trucks that the driver may drive
   */
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
  /**
   * Some types have more members besides object
   */
  data: {
    /**
     * The record as REST showed it at that moment
     */
    object: {
      [k: string]: unknown;
    };
    [k: string]: unknown;
  };
}
export interface EventListQuery {
  /**
   * One type, all of a kind (invoice.*), or *
   */
  type?: string;
  /**
   * From this timestamp on; a date is the account's midnight
   */
  since?: string;
  /**
   * Before this timestamp; a date is the account's midnight
   */
  until?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface EventStreamQuery {
  /**
   * Event types, separated by commas. invoice.* matches all types of a kind, * matches all types. Default: all types
   */
  types?: string;
  /**
   * Same as the header Last-Event-ID, for a first connection that cannot set it. The header takes precedence
   */
  last_event_id?: string;
}
export interface ExportAction {
  [k: string]: unknown;
}
export interface ExportCreate {
  resource: ExportResource;
  format: ExportFormat;
  /**
   * The filters of the list of the resource; all has no filters
   */
  filters: {
    /**
     * As in the list of invoices, customers or work orders
     */
    search?: string;
    /**
     * As in the list of invoices or work orders
     */
    status?: string;
    /**
     * As in the list of invoices or work orders
     */
    customer_id?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    since?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    until?: string;
    /**
     * As in the list of invoices or work orders
     */
    date_field?: string;
    /**
     * As in the list of customers
     */
    company_type?: string;
    /**
     * As in the list of customers
     */
    is_active?: boolean;
    /**
     * As in the list of work orders
     */
    service_type?: string;
    /**
     * As in the list of inspections
     */
    kind?: string;
    /**
     * As in the list of inspections
     */
    result?: string;
    /**
     * As in the list of inspections
     */
    truck_id?: string;
    /**
     * As in the list of inspections
     */
    driver_id?: string;
    /**
     * As in the list of inspections
     */
    work_order_id?: string;
  };
  /**
   * Adds files to an export of invoices, which becomes a zip; payments include their refunds. all always contains them
   */
  include: ("line_items" | "payments")[];
  /**
   * none is only for an export of a single file; a zip and a dump are always compressed
   */
  compression: "gzip" | "none";
  /**
   * CSV: starts the file with a byte order mark, which spreadsheet programs expect
   */
  bom: boolean;
  /**
   * CSV: adds a column with the decimal amount next to each column of cents (total next to total_cents)
   */
  decimals: boolean;
}
export interface ExportListQuery {
  status?: ExportStatus;
  resource?: ExportResource;
  /**
   * Exports that this schedule requested
   */
  schedule_id?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface Export {
  id: string;
  resource: ExportResource;
  format: ExportFormat;
  /**
   * The filters of the list of the resource; all has no filters
   */
  filters: {
    /**
     * As in the list of invoices, customers or work orders
     */
    search?: string;
    /**
     * As in the list of invoices or work orders
     */
    status?: string;
    /**
     * As in the list of invoices or work orders
     */
    customer_id?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    since?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    until?: string;
    /**
     * As in the list of invoices or work orders
     */
    date_field?: string;
    /**
     * As in the list of customers
     */
    company_type?: string;
    /**
     * As in the list of customers
     */
    is_active?: boolean;
    /**
     * As in the list of work orders
     */
    service_type?: string;
    /**
     * As in the list of inspections
     */
    kind?: string;
    /**
     * As in the list of inspections
     */
    result?: string;
    /**
     * As in the list of inspections
     */
    truck_id?: string;
    /**
     * As in the list of inspections
     */
    driver_id?: string;
    /**
     * As in the list of inspections
     */
    work_order_id?: string;
  };
  /**
   * Adds files to an export of invoices, which becomes a zip; payments include their refunds. all always contains them
   */
  include: ("line_items" | "payments")[];
  /**
   * none is only for an export of a single file; a zip and a dump are always compressed
   */
  compression: "gzip" | "none";
  /**
   * CSV: starts the file with a byte order mark, which spreadsheet programs expect
   */
  bom: boolean;
  /**
   * CSV: adds a column with the decimal amount next to each column of cents (total next to total_cents)
   */
  decimals: boolean;
  status: ExportStatus;
  progress: {
    rows: number;
    /**
     * Size of the download as written so far
     */
    bytes: number;
    /**
     * Estimate when the export was requested
     */
    estimated_rows: number | null;
    /**
     * Percentage of the estimate; 100 only when the export is completed
     */
    percent: number | null;
  };
  file_name: string | null;
  content_type: string | null;
  /**
   * Size of the download
   */
  bytes: number | null;
  /**
   * SHA-256 of the download
   */
  sha256: string | null;
  /**
   * The files of the export; sizes and hashes are of the uncompressed files
   */
  files: {
    name: string;
    rows: number;
    /**
     * Uncompressed
     */
    bytes: number;
    sha256: string;
    /**
     * Sums of the columns of cents, by column name
     */
    sums: {
      [k: string]: number;
    };
  }[];
  /**
   * Why the export failed
   */
  error: {
    code: string;
    message: string;
  } | null;
  /**
   * The schedule that requested the export
   */
  schedule_id: string | null;
  /**
   * Download link of a completed export; works without a key. Each read returns a new link; null in events
   */
  download_url: string | null;
  /**
   * When download_url expires
   */
  download_expires_at: string | null;
  /**
   * How often the export was started
   */
  attempts: number;
  /**
   * When the export was last started
   */
  started_at: string | null;
  completed_at: string | null;
  /**
   * When the file is deleted
   */
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface ExportSchedule {
  id: string;
  resource: ExportResource;
  format: ExportFormat;
  /**
   * The filters of the list of the resource; all has no filters
   */
  filters: {
    /**
     * As in the list of invoices, customers or work orders
     */
    search?: string;
    /**
     * As in the list of invoices or work orders
     */
    status?: string;
    /**
     * As in the list of invoices or work orders
     */
    customer_id?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    since?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    until?: string;
    /**
     * As in the list of invoices or work orders
     */
    date_field?: string;
    /**
     * As in the list of customers
     */
    company_type?: string;
    /**
     * As in the list of customers
     */
    is_active?: boolean;
    /**
     * As in the list of work orders
     */
    service_type?: string;
    /**
     * As in the list of inspections
     */
    kind?: string;
    /**
     * As in the list of inspections
     */
    result?: string;
    /**
     * As in the list of inspections
     */
    truck_id?: string;
    /**
     * As in the list of inspections
     */
    driver_id?: string;
    /**
     * As in the list of inspections
     */
    work_order_id?: string;
  };
  /**
   * Adds files to an export of invoices, which becomes a zip; payments include their refunds. all always contains them
   */
  include: ("line_items" | "payments")[];
  /**
   * none is only for an export of a single file; a zip and a dump are always compressed
   */
  compression: "gzip" | "none";
  /**
   * CSV: starts the file with a byte order mark, which spreadsheet programs expect
   */
  bom: boolean;
  /**
   * CSV: adds a column with the decimal amount next to each column of cents (total next to total_cents)
   */
  decimals: boolean;
  cadence: ExportCadence;
  /**
   * In the account's time zone. If a clock change skips the hour, the run is later by the length of the change; if the hour occurs twice, it runs at the second
   */
  hour: number;
  /**
   * The day of a weekly schedule; default monday. Null for other cadences
   */
  weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
  /**
   * The day of a monthly schedule, or the last day of a shorter month; default 1. Null for other cadences
   */
  day: number | null;
  /**
   * previous sets since and until for the date_field of the filters; only for resources whose list has both filters
   */
  period: ExportPeriod;
  enabled: boolean;
  /**
   * Null while the schedule is disabled
   */
  next_run_at: string | null;
  last_run_at: string | null;
  /**
   * The export of the last run, while it is kept
   */
  last_export_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface ExportScheduleCreate {
  resource: ExportResource;
  format: ExportFormat;
  /**
   * The filters of the list of the resource; all has no filters
   */
  filters: {
    /**
     * As in the list of invoices, customers or work orders
     */
    search?: string;
    /**
     * As in the list of invoices or work orders
     */
    status?: string;
    /**
     * As in the list of invoices or work orders
     */
    customer_id?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    since?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    until?: string;
    /**
     * As in the list of invoices or work orders
     */
    date_field?: string;
    /**
     * As in the list of customers
     */
    company_type?: string;
    /**
     * As in the list of customers
     */
    is_active?: boolean;
    /**
     * As in the list of work orders
     */
    service_type?: string;
    /**
     * As in the list of inspections
     */
    kind?: string;
    /**
     * As in the list of inspections
     */
    result?: string;
    /**
     * As in the list of inspections
     */
    truck_id?: string;
    /**
     * As in the list of inspections
     */
    driver_id?: string;
    /**
     * As in the list of inspections
     */
    work_order_id?: string;
  };
  /**
   * Adds files to an export of invoices, which becomes a zip; payments include their refunds. all always contains them
   */
  include: ("line_items" | "payments")[];
  /**
   * none is only for an export of a single file; a zip and a dump are always compressed
   */
  compression: "gzip" | "none";
  /**
   * CSV: starts the file with a byte order mark, which spreadsheet programs expect
   */
  bom: boolean;
  /**
   * CSV: adds a column with the decimal amount next to each column of cents (total next to total_cents)
   */
  decimals: boolean;
  cadence: ExportCadence;
  /**
   * In the account's time zone. If a clock change skips the hour, the run is later by the length of the change; if the hour occurs twice, it runs at the second
   */
  hour: number;
  /**
   * The day of a weekly schedule; default monday. Null for other cadences
   */
  weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
  /**
   * The day of a monthly schedule, or the last day of a shorter month; default 1. Null for other cadences
   */
  day?: number | null;
  /**
   * previous sets since and until for the date_field of the filters; only for resources whose list has both filters
   */
  period: ExportPeriod & string;
  enabled: boolean;
}
export interface ExportScheduleDelete {
  [k: string]: unknown;
}
export interface ExportScheduleListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface ExportSchedulePatch {
  resource?: ExportResource;
  format?: ExportFormat;
  /**
   * The filters of the list of the resource; all has no filters
   */
  filters?: {
    /**
     * As in the list of invoices, customers or work orders
     */
    search?: string;
    /**
     * As in the list of invoices or work orders
     */
    status?: string;
    /**
     * As in the list of invoices or work orders
     */
    customer_id?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    since?: string;
    /**
     * As in the list of invoices, work orders or inspections
     */
    until?: string;
    /**
     * As in the list of invoices or work orders
     */
    date_field?: string;
    /**
     * As in the list of customers
     */
    company_type?: string;
    /**
     * As in the list of customers
     */
    is_active?: boolean;
    /**
     * As in the list of work orders
     */
    service_type?: string;
    /**
     * As in the list of inspections
     */
    kind?: string;
    /**
     * As in the list of inspections
     */
    result?: string;
    /**
     * As in the list of inspections
     */
    truck_id?: string;
    /**
     * As in the list of inspections
     */
    driver_id?: string;
    /**
     * As in the list of inspections
     */
    work_order_id?: string;
  };
  /**
   * Adds files to an export of invoices, which becomes a zip; payments include their refunds. all always contains them
   */
  include?: ("line_items" | "payments")[];
  /**
   * none is only for an export of a single file; a zip and a dump are always compressed
   */
  compression?: "gzip" | "none";
  /**
   * CSV: starts the file with a byte order mark, which spreadsheet programs expect
   */
  bom?: boolean;
  /**
   * CSV: adds a column with the decimal amount next to each column of cents (total next to total_cents)
   */
  decimals?: boolean;
  cadence?: ExportCadence;
  /**
   * In the account's time zone. If a clock change skips the hour, the run is later by the length of the change; if the hour occurs twice, it runs at the second
   */
  hour?: number;
  /**
   * The day of a weekly schedule; default monday. Null for other cadences
   */
  weekday?: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | null;
  /**
   * The day of a monthly schedule, or the last day of a shorter month; default 1. Null for other cadences
   */
  day?: number | null;
  /**
   * previous sets since and until for the date_field of the filters; only for resources whose list has both filters
   */
  period?: ExportPeriod;
  enabled?: boolean;
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
  /**
   * - `owner`: To its owner
   * - `insurance`: To an insurance company
   * - `lienholder`: To the lender that holds the title
   * - `no_charge`: Without a charge: storage that is not invoiced yet is waived
   * - `surrendered`: The owner gave up the vehicle
   * - `junked`: To a scrap yard
   * - `bill_account`: To be billed to the customer account
   */
  release_kind: "owner" | "insurance" | "lienholder" | "no_charge" | "surrendered" | "junked" | "bill_account" | null;
  released_to: string | null;
  daily_rate_cents: number;
  free_days: number;
  /**
   * Calendar days in the yard, in the account's time zone. A started day counts
   */
  days: number;
  /**
   * Days charged so far, without the free days, as of the last accrual
   */
  accrued_days: number;
  /**
   * accrued_days × daily_rate_cents
   */
  storage_cents: number;
  /**
   * Days of storage on the work order's invoices, except void and cancelled ones
   */
  invoiced_days: number;
  /**
   * accrued_days that are not invoiced yet. 0 after a release with kind no_charge
   */
  unbilled_days: number;
  notes: string | null;
  created_at: string;
  updated_at: string;
}
export interface ImpoundAction {
  [k: string]: unknown;
}
export interface ImpoundCreate {
  /**
   * The work order that brought the vehicle in. It supplies customer and vehicle if the request omits them
   */
  work_order_id?: string | null;
  /**
   * The customer to bill
   */
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
  /**
   * Why the new impound is on hold. Omit it to create the impound without a hold
   */
  hold_reason?: string;
  /**
   * Default: now. Must not be in the future
   */
  impounded_at?: string;
  /**
   * Rate for the whole stay. Default: the rate card's storage item priced by the day
   */
  daily_rate_cents?: number;
  /**
   * Number of first days without charge. Default: included_quantity of that item
   */
  free_days?: number;
  notes?: string | null;
}
export interface ImpoundHold {
  reason: string;
}
export interface ImpoundListQuery {
  status?: ImpoundStatus;
  work_order_id?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface ImpoundPatch {
  /**
   * Must be an allowed transition. disposed ends storage
   */
  status?: PatchableImpoundStatus;
  /**
   * The customer to bill
   */
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
  /**
   * no_charge: storage that is not invoiced yet is waived
   */
  kind: ReleaseKind;
  released_to?: string | null;
  /**
   * Default: now. Must not be in the future
   */
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
    /**
     * Open vocabulary. Published values: front, rear, driver_side, passenger_side, interior, odometer, damage, other.
     */
    slot: string;
    /**
     * Open vocabulary. Published values: before, hooked, after, other.
     */
    phase: string | null;
    url: string;
    taken_at: string | null;
  }[];
  /**
   * Derived: out_of_service while a defect of that severity is unresolved; pass_with_defects while any other defect is unresolved or an item has failed; otherwise pass
   */
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
  /**
   * The inspected vehicle, if it is not a truck of the fleet
   */
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
    /**
     * Set if the defect was fixed on the spot
     */
    resolved_at?: string | null;
    resolved_by?: string | null;
  }[];
  photos?: {
    /**
     * Open vocabulary. Published values: front, rear, driver_side, passenger_side, interior, odometer, damage, other.
     */
    slot: string;
    /**
     * Open vocabulary. Published values: before, hooked, after, other.
     */
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
  /**
   * Created at or after
   */
  since?: string;
  /**
   * Created before
   */
  until?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface InspectionPatch {
  /**
   * Defects to resolve or reopen. Omitted defects do not change
   */
  defects?: {
    id: string;
    /**
     * null reopens the defect
     */
    resolved_at: string | null;
    resolved_by?: string | null;
  }[];
  notes?: string | null;
}
export interface InvoiceDraftLine {
  name: string;
  description?: string | null;
  /**
   * Open vocabulary. Published values: tow, hook_up, mileage, winching, recovery, labor, wait_time, roadside, storage, impound, gate_fee, after_hours, equipment, cleanup, fuel, fuel_surcharge, admin, notification, lien, goa, discount, adjustment, other.
   */
  category: string;
  /**
   * At most 4 decimals
   */
  quantity: number;
  /**
   * Open vocabulary. Published values: each, flat, mile, hour, quarter_hour, day, gallon.
   */
  unit_type: string;
  /**
   * Negative only in the categories discount and adjustment
   */
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
  balance_due_cents: number;
  work_order_id: string | null;
  vehicle_description: string | null;
  notes: string | null;
  sent_at: string | null;
  /**
   * Delivery of the invoice to its customer; null before it is sent
   */
  delivery: {
    state: DeliveryState;
    /**
     * Why the message could not be delivered
     */
    reason: string | null;
    /**
     * When the customer first saw the invoice on its page
     */
    viewed_at: string | null;
  } | null;
  /**
   * Actions that an operator may take on this invoice now
   */
  allowed_actions: InvoiceActionName[];
  /**
   * When the invoice is due: due_date, else release plus the customer's terms. null for a draft without due_date, because its terms start at release
   */
  effective_due_date: string | null;
  created_at: string;
  updated_at: string;
  line_items: LineItem[];
}
export interface LineItem {
  id: string;
  position: number;
  name: string;
  description: string | null;
  /**
   * Open vocabulary. Published values: tow, hook_up, mileage, winching, recovery, labor, wait_time, roadside, storage, impound, gate_fee, after_hours, equipment, cleanup, fuel, fuel_surcharge, admin, notification, lien, goa, discount, adjustment, other.
   */
  category: string;
  quantity: number;
  /**
   * Open vocabulary. Published values: each, flat, mile, hour, quarter_hour, day, gallon.
   */
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
  /**
   * A date (midnight in the account's time zone) or an RFC 3339 date-time
   */
  due_date?: string | null;
  /**
   * A date (midnight in the account's time zone) or an RFC 3339 date-time
   */
  service_date?: string | null;
  work_order_id?: string | null;
  vehicle_description?: string | null;
  notes?: string | null;
  /**
   * If omitted and work_order_id is set, the rate card prices the invoice
   */
  line_items?: LineItemInput[];
}
export interface LineItemInput {
  name: string;
  description?: string | null;
  /**
   * Open vocabulary. Published values: tow, hook_up, mileage, winching, recovery, labor, wait_time, roadside, storage, impound, gate_fee, after_hours, equipment, cleanup, fuel, fuel_surcharge, admin, notification, lien, goa, discount, adjustment, other.
   */
  category: string;
  quantity: number;
  /**
   * Open vocabulary. Published values: each, flat, mile, hour, quarter_hour, day, gallon.
   */
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}
export interface InvoiceDraft {
  work_order_id: string;
  /**
   * If omitted, the customer's rate card prices the invoice
   */
  line_items?: InvoiceDraftLine[];
  /**
   * The customer sees them
   */
  notes?: string;
  /**
   * Used instead of the customer's billing email
   */
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
  balance_due_cents: number;
  work_order_id: string | null;
  vehicle_description: string | null;
  notes: string | null;
  sent_at: string | null;
  /**
   * Delivery of the invoice to its customer; null before it is sent
   */
  delivery: {
    state: DeliveryState;
    /**
     * Why the message could not be delivered
     */
    reason: string | null;
    /**
     * When the customer first saw the invoice on its page
     */
    viewed_at: string | null;
  } | null;
  /**
   * Actions that an operator may take on this invoice now
   */
  allowed_actions: InvoiceActionName[];
  /**
   * When the invoice is due: due_date, else release plus the customer's terms. null for a draft without due_date, because its terms start at release
   */
  effective_due_date: string | null;
  created_at: string;
  updated_at: string;
  line_items?: LineItem[];
}
export interface InvoiceListQuery {
  status?: InvoiceStatus;
  customer_id?: string;
  /**
   * Part of invoice_number or po_number
   */
  search?: string;
  /**
   * Inclusive
   */
  since?: string;
  /**
   * Exclusive
   */
  until?: string;
  /**
   * Column that since and until filter. Default: created_at, or paid_at for status paid and partially_paid
   */
  date_field?: "created_at" | "updated_at" | "service_date" | "due_date" | "paid_at";
  expand?: "line_items";
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface InvoicePatch {
  /**
   * One of draft, needs_review, approved, sending, disputed, cancelled, void, if the transition table allows it; any other is 409
   */
  status?: InvoiceStatus;
  billing_email?: string | null;
  po_number?: string | null;
  /**
   * A date (midnight in the account's time zone) or an RFC 3339 date-time
   */
  due_date?: string | null;
  notes?: string | null;
  line_items?: LineItemInput[];
}
export interface InvoiceReason {
  reason: string;
}
export interface InvoiceSend {
  channel: "email" | "sms" | "both";
  /**
   * Email address or phone number for a single channel. Default: from the invoice, customer or work order
   */
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
  balance_due_cents: number;
  work_order_id: string | null;
  vehicle_description: string | null;
  notes: string | null;
  sent_at: string | null;
  /**
   * Delivery of the invoice to its customer; null before it is sent
   */
  delivery: {
    state: DeliveryState;
    /**
     * Why the message could not be delivered
     */
    reason: string | null;
    /**
     * When the customer first saw the invoice on its page
     */
    viewed_at: string | null;
  } | null;
  /**
   * Actions that an operator may take on this invoice now
   */
  allowed_actions: InvoiceActionName[];
  /**
   * When the invoice is due: due_date, else release plus the customer's terms. null for a draft without due_date, because its terms start at release
   */
  effective_due_date: string | null;
  created_at: string;
  updated_at: string;
  line_items: LineItem[];
  /**
   * Page for the customer. Anyone with the link can see the invoice. Absent if nothing was sent
   */
  view_url?: string;
}
export interface Message {
  id: string;
  invoice_id: string;
  channel: MessageChannel;
  /**
   * Mail address or phone number
   */
  recipient: string;
  subject: string | null;
  state: DeliveryState;
  /**
   * The provider. outbox: sends nothing, only stores the message here; smtp: the mail server
   */
  provider: string;
  /**
   * Why it failed, or why the last attempt did
   */
  error: string | null;
  /**
   * How often it was offered to its provider
   */
  attempts: number;
  /**
   * When it is offered again at the earliest
   */
  next_attempt_at: string | null;
  sent_at: string | null;
  /**
   * Until when the link in it opens the invoice
   */
  link_expires_at: string | null;
  /**
   * Since when the link opens nothing any more
   */
  link_revoked_at: string | null;
  created_at: string;
  updated_at: string;
  body_text: string;
  /**
   * null in a text message
   */
  body_html: string | null;
}
export interface MessageAction {
  [k: string]: unknown;
}
export interface MessageListItem {
  id: string;
  invoice_id: string;
  channel: MessageChannel;
  /**
   * Mail address or phone number
   */
  recipient: string;
  subject: string | null;
  state: DeliveryState;
  /**
   * The provider. outbox: sends nothing, only stores the message here; smtp: the mail server
   */
  provider: string;
  /**
   * Why it failed, or why the last attempt did
   */
  error: string | null;
  /**
   * How often it was offered to its provider
   */
  attempts: number;
  /**
   * When it is offered again at the earliest
   */
  next_attempt_at: string | null;
  sent_at: string | null;
  /**
   * Until when the link in it opens the invoice
   */
  link_expires_at: string | null;
  /**
   * Since when the link opens nothing any more
   */
  link_revoked_at: string | null;
  created_at: string;
  updated_at: string;
}
export interface MessageListQuery {
  invoice_id?: string;
  channel?: MessageChannel;
  state?: DeliveryState;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface Notice {
  id: string;
  /**
   * Open vocabulary. Published values: endpoint_failing, endpoint_disabled, endpoint_recovered, delivery_exhausted, export_failed, export_skipped.
   */
  kind: string;
  title: string;
  /**
   * What happened, since when, and what to do
   */
  text: string;
  entity_type: string;
  /**
   * The record that it is about
   */
  entity_id: string;
  created_at: string;
  /**
   * When a person of the account marked it as read
   */
  read_at: string | null;
  /**
   * When the mail server accepted it for the first person of the account; null when it was mailed to no one
   */
  mailed_at: string | null;
}
export interface NoticeListQuery {
  /**
   * true: only unread notices; false: only notices marked as read
   */
  unread?: boolean;
  /**
   * Open vocabulary. Published values: endpoint_failing, endpoint_disabled, endpoint_recovered, delivery_exhausted, export_failed, export_skipped.
   */
  kind?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface NoticeRead {
  [k: string]: unknown;
}
export interface InvoicePaymentListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
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
  /**
   * The part that exceeds the invoice: credit of the customer
   */
  credit_cents: number;
  created_at: string;
  updated_at: string;
}
export interface PaymentCreate {
  amount_cents: number;
  method: PaymentMethod;
  /**
   * When the money came in; default now
   */
  received_at?: string;
  reference?: string | null;
}
export interface PaymentListQuery {
  invoice_id?: string;
  method?: PaymentMethod;
  /**
   * Inclusive; by received_at
   */
  since?: string;
  /**
   * Exclusive; by received_at
   */
  until?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface RefundCreate {
  amount_cents: number;
  reason: string;
}
export interface JobPrice {
  work_order_id: string;
  /**
   * The customer whose card and tax rate apply
   */
  customer_id: string | null;
  rate_card: {
    id: string;
    name: string;
    effective_from: string;
  };
  is_after_hours: boolean;
  /**
   * An invoice already charges this job; a further invoice gets storage alone
   */
  is_invoiced: boolean;
  /**
   * Of the days in line_items
   */
  invoiced_storage_days: number;
  /**
   * As POST /invoices takes them
   */
  line_items: LineItemInput[];
  /**
   * Every item of the card for this service
   */
  explanation: PriceExplanation[];
  subtotal_cents: number;
  tax_rate_bps: number;
  tax_cents: number;
  total_cents: number;
}
export interface PriceExplanation {
  name: string;
  category: string;
  service_type: string | null;
  /**
   * Position in line_items; null: not charged
   */
  line: number | null;
  /**
   * null: unknown for this job
   */
  measured_quantity: number | null;
  included_quantity: number | null;
  charged_quantity: number | null;
  minimum_applied: boolean;
  reason: string;
}
export interface RateCard {
  id: string;
  name: string;
  /**
   * Number of this version of the card
   */
  version: number;
  effective_from: string;
  /**
   * First day of the next version, which replaces this one; null while there is none
   */
  effective_until: string | null;
  /**
   * The next version
   */
  superseded_by: string | null;
  is_default: boolean;
  after_hours_window: {
    start: string;
    end: string;
    /**
     * All of Saturday and Sunday counts as after hours
     */
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
  /**
   * Cards with the same name (ignoring case) are versions of one card
   */
  name: string;
  /**
   * First day, in the account's time zone. Not before that of the previous version; on the same day the newer version applies
   */
  effective_from: string;
  /**
   * Prices jobs of customers without a card of their own. Omitted: as in the previous version. Of several, the latest effective_from applies
   */
  is_default?: boolean;
  /**
   * In the account's time zone; compared with the time a job was dispatched, or else booked. Omitted: 18:00 to 08:00 and weekends
   */
  after_hours_window?: {
    start: string;
    end: string;
    /**
     * All of Saturday and Sunday counts as after hours
     */
    weekends: boolean;
  };
  items: RateCardItemInput[];
}
export interface RateCardItemInput {
  /**
   * Name of the invoice line item; derived from the category when omitted
   */
  name?: string;
  /**
   * The service this is for; null: any. An item for a service replaces the items for any service in its category
   */
  service_type: string | null;
  /**
   * goa alone is charged when a job ended as goa or unsuccessful; storage, impound and gate_fee when the job has an impound. Published values: tow, hook_up, mileage, winching, recovery, labor, wait_time, roadside, storage, impound, gate_fee, after_hours, equipment, cleanup, fuel, fuel_surcharge, admin, notification, lien, goa, discount, adjustment, other.
   */
  category: string;
  /**
   * flat and each count once, mile the loaded miles, hour and quarter_hour the started quarter hours from dispatch to completion, day the days of storage; others are never charged by themselves
   */
  unit_type: string;
  unit_price_cents: number;
  /**
   * Units that cost nothing, such as the first miles; by day: the free days of a new impound
   */
  included_quantity: number;
  /**
   * Minimum of the line item when anything is charged; not allowed for storage by the day
   */
  minimum_cents: number | null;
  /**
   * Charged only when the job was sent out within the after-hours window
   */
  after_hours: boolean;
  taxable: boolean;
}
export interface RateCardListQuery {
  /**
   * Part of the name
   */
  search?: string;
  is_default?: boolean;
  /**
   * Only the versions that are in force on this day
   */
  in_force_on?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface Session {
  id: string;
  user: {
    id: string;
    name: string;
    email: string;
  };
  /**
   * The account, or its sandbox, that this request acts on
   */
  tenant: {
    id: string;
    name: string;
  };
  /**
   * As sent in X-Environment; live by default
   */
  environment: Environment;
  created_at: string;
  /**
   * At the latest; 12 hours without a request end it sooner
   */
  expires_at: string;
  /**
   * When the person signed out
   */
  ended_at: string | null;
}
export interface SessionRevoke {
  [k: string]: unknown;
}
export interface SignIn {
  email: string;
  password: string;
  /**
   * Selects the account when the same e-mail and password belong to several
   */
  tenant_id?: string;
}
export interface Settings {
  /**
   * IANA name. Sets the midnight of plain dates, the end of due dates and the start of days of storage
   */
  time_zone: string;
  /**
   * Tax of new invoices, in basis points of their taxable line items: 825 is 8.25 %. A customer may have its own rate
   */
  tax_rate_bps: number;
  /**
   * Days between the due date of an invoice and the day on which it becomes overdue
   */
  grace_days: number;
  /**
   * Days between the release of an invoice without a due date and its due date. A customer may have its own terms
   */
  terms_days: number;
  /**
   * An agent's draft waits for a person once the key's drafts of 24 hours for its work order or its payer (customer or billing address) reach this amount. null: no draft waits
   */
  agent_gate_cents: number | null;
  /**
   * An agent's draft waits for a person once all drafts of the key within 24 hours reach this amount. null: no draft waits
   */
  agent_day_cents: number | null;
  /**
   * Name of the company on invoices. null: the account's name
   */
  business_name: string | null;
  /**
   * Street of the company, on invoices
   */
  address: string | null;
  /**
   * City of the company, on invoices
   */
  city: string | null;
  /**
   * State of the company, on invoices
   */
  state: string | null;
  /**
   * ZIP code of the company, on invoices
   */
  zip: string | null;
  /**
   * Phone number on invoices, for questions about them
   */
  phone: string | null;
  /**
   * E-mail address on invoices, for questions about them
   */
  email: string | null;
  /**
   * How to pay, in your words. null: invoices show phone and e-mail
   */
  remittance_text: string | null;
  /**
   * The picture on invoices: GET, PUT and DELETE /settings/logo
   */
  logo: {
    content_type: "image/png" | "image/jpeg";
    width: number;
    height: number;
    bytes: number;
    updated_at: string;
  } | null;
  updated_at: string;
}
export interface SettingsPatch {
  /**
   * IANA name. Sets the midnight of plain dates, the end of due dates and the start of days of storage
   */
  time_zone?: string;
  /**
   * Tax of new invoices, in basis points of their taxable line items: 825 is 8.25 %. A customer may have its own rate
   */
  tax_rate_bps?: number;
  /**
   * Days between the due date of an invoice and the day on which it becomes overdue
   */
  grace_days?: number;
  /**
   * Days between the release of an invoice without a due date and its due date. A customer may have its own terms
   */
  terms_days?: number;
  /**
   * An agent's draft waits for a person once the key's drafts of 24 hours for its work order or its payer (customer or billing address) reach this amount. null: no draft waits
   */
  agent_gate_cents?: number | null;
  /**
   * An agent's draft waits for a person once all drafts of the key within 24 hours reach this amount. null: no draft waits
   */
  agent_day_cents?: number | null;
  /**
   * Name of the company on invoices. null: the account's name
   */
  business_name?: string | null;
  /**
   * Street of the company, on invoices
   */
  address?: string | null;
  /**
   * City of the company, on invoices
   */
  city?: string | null;
  /**
   * State of the company, on invoices
   */
  state?: string | null;
  /**
   * ZIP code of the company, on invoices
   */
  zip?: string | null;
  /**
   * Phone number on invoices, for questions about them
   */
  phone?: string | null;
  /**
   * E-mail address on invoices, for questions about them
   */
  email?: string | null;
  /**
   * How to pay, in your words. null: invoices show phone and e-mail
   */
  remittance_text?: string | null;
}
export interface ProposedLine {
  name: string;
  description: string | null;
  /**
   * Open vocabulary. Published values: tow, hook_up, mileage, winching, recovery, labor, wait_time, roadside, storage, impound, gate_fee, after_hours, equipment, cleanup, fuel, fuel_surcharge, admin, notification, lien, goa, discount, adjustment, other.
   */
  category: string;
  quantity: number;
  /**
   * Open vocabulary. Published values: each, flat, mile, hour, quarter_hour, day, gallon.
   */
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}
export interface Suggestion {
  id: string;
  kind: SuggestionKind;
  /**
   * The rule that found it; more may be added
   */
  detector: string;
  entity_type: SuggestionEntity;
  /**
   * The record that it is about
   */
  entity_id: string;
  /**
   * The invoice that gets the proposed lines on acceptance
   */
  invoice_id: string | null;
  title: string;
  /**
   * The reason, with the numbers
   */
  rationale: string;
  /**
   * The amount at stake, before tax
   */
  amount_cents: number;
  /**
   * 0 to 1, with two decimals at most
   */
  confidence: number;
  /**
   * Empty when no line item is missing
   */
  proposed_lines: ProposedLine[];
  status: SuggestionStatus;
  /**
   * The person or API key that accepted or dismissed it
   */
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
  /**
   * Stored as note
   */
  reason?: string | null;
}
export interface SuggestionListQuery {
  kind?: SuggestionKind;
  status?: SuggestionStatus;
  /**
   * Open vocabulary. Published values: missed_mileage, missed_after_hours, missed_winching, missed_storage, missed_fuel_surcharge, anomaly_amount, anomaly_miles, anomaly_duration, duplicate_invoice.
   */
  detector?: string;
  entity_type?: SuggestionEntity;
  entity_id?: string;
  invoice_id?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface Truck {
  id: string;
  unit_number: string;
  duty_class: DutyClass;
  /**
   * On a job: assigned, en_route, on_scene, towing or returning, by the progress of that job
   */
  status: TruckStatus;
  driver_id: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  /**
   * Last known position
   */
  location: {
    lat: number;
    lng: number;
    heading: number | null;
    speed_mph: number | null;
    at: string;
    /**
     * Older than five minutes
     */
    stale: boolean;
  } | null;
  /**
   * The dispatched or in_progress work order that the truck is on
   */
  current_work_order_id: string | null;
  created_at: string;
  updated_at: string;
}
export interface TruckCreate {
  /**
   * Unique in an account, ignoring case
   */
  unit_number: string;
  duty_class: DutyClass;
  /**
   * The status set by people. While the truck is on a job, the progress of that job is shown instead
   */
  status?: SettableTruckStatus;
  driver_id?: string | null;
  vin?: string | null;
  plate?: string | null;
  make?: string | null;
  model?: string | null;
  year?: number | null;
  /**
   * A position replaces the previous one as a whole; null removes it
   */
  location?: {
    lat: number;
    lng: number;
    /**
     * Degrees clockwise from north
     */
    heading?: number | null;
    speed_mph?: number | null;
    /**
     * When the truck was there; default now
     */
    at?: string;
  } | null;
}
export interface TruckListQuery {
  status?: TruckStatus;
  duty_class?: DutyClass;
  /**
   * Part of unit_number
   */
  search?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface TruckPatch {
  unit_number?: string;
  duty_class?: DutyClass;
  /**
   * The status set by people. While the truck is on a job, the progress of that job is shown instead
   */
  status?: SettableTruckStatus;
  driver_id?: string | null;
  vin?: string | null;
  plate?: string | null;
  make?: string | null;
  model?: string | null;
  year?: number | null;
  /**
   * A position replaces the previous one as a whole; null removes it
   */
  location?: {
    lat: number;
    lng: number;
    /**
     * Degrees clockwise from north
     */
    heading?: number | null;
    speed_mph?: number | null;
    /**
     * When the truck was there; default now
     */
    at?: string;
  } | null;
}
export interface User {
  id: string;
  name: string;
  email: string;
  created_at: string;
  updated_at: string;
  /**
   * From then on the person cannot sign in
   */
  deactivated_at: string | null;
}
export interface UserCreate {
  name: string;
  email: string;
  /**
   * Omitted: the person cannot sign in until one is set
   */
  password?: string;
}
export interface UserRevoke {
  [k: string]: unknown;
}
export interface UserListQuery {
  /**
   * true: only people who can sign in; false: only deactivated people
   */
  is_active?: boolean;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface UserPatch {
  name?: string;
  email?: string;
  /**
   * A new password ends all sessions of the person
   */
  password?: string;
}
export interface WebhookAttempt {
  id: string;
  delivery_id: string;
  endpoint_id: string;
  /**
   * The first is 1
   */
  attempt: number;
  started_at: string;
  url: string;
  request_headers: {
    [k: string]: unknown;
  };
  /**
   * null: there was no response
   */
  response_status: number | null;
  response_headers: {
    [k: string]: unknown;
  } | null;
  /**
   * Its first 16 KiB
   */
  response_body: string | null;
  /**
   * The body was longer than that
   */
  response_truncated: boolean;
  error_class: string | null;
  error_message: string | null;
  remote_address: string | null;
  connect_ms: number | null;
  first_byte_ms: number | null;
  total_ms: number;
}
export interface WebhookAttemptListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface WebhookDelivery {
  id: string;
  endpoint_id: string;
  /**
   * Also the webhook-id, the same on every attempt and replay
   */
  event_id: string;
  event_type: string;
  /**
   * Why it was created
   */
  trigger: DeliveryTrigger;
  /**
   * The replay or recovery that created it
   */
  replay_id: string | null;
  /**
   * The delivery that it repeats
   */
  replay_of: string | null;
  status: WebhookDeliveryStatus;
  attempts: number;
  /**
   * null once it has ended
   */
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
  /**
   * One type, all of a kind (invoice.*), or *
   */
  event_type?: string;
  event_id?: string;
  status?: WebhookDeliveryStatus;
  trigger?: DeliveryTrigger;
  replay_id?: string;
  /**
   * Inclusive; by created_at
   */
  since?: string;
  /**
   * Exclusive; by created_at
   */
  until?: string;
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface WebhookTest {
  /**
   * The type of the example event
   */
  type:
    | "invoice.created"
    | "invoice.sent"
    | "invoice.paid"
    | "invoice.overdue"
    | "work_order.created"
    | "work_order.completed"
    | "dispatch.assigned"
    | "ai.suggestion.created"
    | "endpoint.failing"
    | "endpoint.disabled"
    | "endpoint.recovered"
    | "delivery.exhausted"
    | "export.completed";
}
export interface WebhookEndpoint {
  id: string;
  /**
   * Where deliveries are POSTed. In production https, and no address inside our network
   */
  url: string;
  event_types: string[];
  description: string | null;
  header_names: string[];
  rate_limit_per_second: number | null;
  max_in_flight: number;
  enabled: boolean;
  /**
   * - `user`: A person or a key disabled it
   * - `failing`: It failed for five days
   * - `gone`: It answered 410
   * - `receiver`: Its receiver asked for it by a header
   */
  disabled_reason: "user" | "failing" | "gone" | "receiver" | null;
  disabled_at: string | null;
  asymmetric: boolean;
  /**
   * Keys that verify its ed25519 signatures, newest first
   */
  public_keys: string[];
  /**
   * The secrets that sign now, newest first, without their values
   */
  secrets: {
    id: string;
    /**
     * v1: HMAC-SHA256, v1a: ed25519
     */
    scheme: "v1" | "v1a";
    created_at: string;
    /**
     * Set by a rotation: the secret signs beside its successor until then
     */
    expires_at: string | null;
  }[];
  health: {
    state: EndpointState;
    consecutive_failures: number;
    /**
     * First failure since the last success
     */
    failing_since: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
    /**
     * Error class of the last failure; host_limit: the account reached the limit per minute for this host
     */
    last_error: string | null;
    /**
     * Deliveries resume then
     */
    paused_until: string | null;
    /**
     * When it will be disabled if it keeps failing
     */
    disables_at: string | null;
  };
  created_at: string;
  updated_at: string;
}
export interface WebhookEndpointCreate {
  /**
   * Where deliveries are POSTed. In production https, and no address inside our network
   */
  url: string;
  /**
   * Event types to deliver: one type (invoice.paid), all types of a kind (invoice.*) or all types (*)
   */
  event_types: string[];
  description?: string | null;
  /**
   * Sent with each delivery, such as credentials of the receiver. Encrypted; their values are never shown again. Names that the delivery sets itself are refused
   */
  headers?: {
    [k: string]: string;
  } | null;
  /**
   * Maximum deliveries per second; null: no such limit
   */
  rate_limit_per_second?: number | null;
  /**
   * Maximum concurrent deliveries
   */
  max_in_flight: number;
  enabled: boolean;
  /**
   * Deliveries are signed with ed25519 (v1a) as well
   */
  asymmetric: boolean;
}
export interface WebhookEndpointRevoke {
  [k: string]: unknown;
}
export interface WebhookEndpointListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface WebhookEndpointPatch {
  /**
   * Where deliveries are POSTed. In production https, and no address inside our network
   */
  url?: string;
  /**
   * Event types to deliver: one type (invoice.paid), all types of a kind (invoice.*) or all types (*)
   */
  event_types?: string[];
  description?: string | null;
  /**
   * Replaces all of them; null removes them
   */
  headers?: {
    [k: string]: string;
  } | null;
  /**
   * Maximum deliveries per second; null: no such limit
   */
  rate_limit_per_second?: number | null;
  /**
   * Maximum concurrent deliveries
   */
  max_in_flight?: number;
  /**
   * false stops deliveries and cancels waiting ones. true starts deliveries and clears earlier failures and pauses
   */
  enabled?: boolean;
  /**
   * Deliveries are signed with ed25519 (v1a) as well
   */
  asymmetric?: boolean;
}
export interface WebhookEndpointRotate {
  /**
   * How long the old secret signs beside the new one; 0 deletes it immediately
   */
  overlap_hours: number;
}
export interface WebhookEndpointWithSecret {
  id: string;
  /**
   * Where deliveries are POSTed. In production https, and no address inside our network
   */
  url: string;
  event_types: string[];
  description: string | null;
  header_names: string[];
  rate_limit_per_second: number | null;
  max_in_flight: number;
  enabled: boolean;
  /**
   * - `user`: A person or a key disabled it
   * - `failing`: It failed for five days
   * - `gone`: It answered 410
   * - `receiver`: Its receiver asked for it by a header
   */
  disabled_reason: "user" | "failing" | "gone" | "receiver" | null;
  disabled_at: string | null;
  asymmetric: boolean;
  /**
   * Keys that verify its ed25519 signatures, newest first
   */
  public_keys: string[];
  /**
   * The secrets that sign now, newest first, without their values
   */
  secrets: {
    id: string;
    /**
     * v1: HMAC-SHA256, v1a: ed25519
     */
    scheme: "v1" | "v1a";
    created_at: string;
    /**
     * Set by a rotation: the secret signs beside its successor until then
     */
    expires_at: string | null;
  }[];
  health: {
    state: EndpointState;
    consecutive_failures: number;
    /**
     * First failure since the last success
     */
    failing_since: string | null;
    last_success_at: string | null;
    last_failure_at: string | null;
    /**
     * Error class of the last failure; host_limit: the account reached the limit per minute for this host
     */
    last_error: string | null;
    /**
     * Deliveries resume then
     */
    paused_until: string | null;
    /**
     * When it will be disabled if it keeps failing
     */
    disables_at: string | null;
  };
  created_at: string;
  updated_at: string;
  /**
   * The secret that signs deliveries (v1), shown in this response only; null in a dry run
   */
  secret: string | null;
}
export interface WebhookRecover {
  /**
   * Inclusive
   */
  since: string;
  /**
   * Exclusive; default now
   */
  until?: string;
  /**
   * Only count, like the header X-Service-Dry-Run
   */
  dry_run?: boolean;
}
export interface WebhookReplay {
  id: string;
  /**
   * replay: repeats earlier deliveries; recover: delivers missed events
   */
  kind: "replay" | "recover";
  /**
   * null: all endpoints
   */
  endpoint_id: string | null;
  filter: {
    event_type: string | null;
    /**
     * - `succeeded`: The endpoint answered 2xx
     * - `failed`: The last attempt failed, and another will follow
     * - `exhausted`: All attempts failed
     * - `cancelled`: A client cancelled it, or its endpoint was disabled or deleted
     */
    status: "succeeded" | "failed" | "exhausted" | "cancelled" | null;
    since: string | null;
    until: string | null;
  };
  status: WebhookReplayStatus;
  /**
   * Deliveries to create, counted beforehand; null: too many rows to count
   */
  total: number | null;
  /**
   * Deliveries created so far
   */
  created_count: number;
  created_at: string;
  updated_at: string;
  completed_at: string | null;
}
export interface WebhookReplayAction {
  [k: string]: unknown;
}
export interface WebhookReplayCreate {
  /**
   * Default: all endpoints
   */
  endpoint_id?: string;
  /**
   * One type, all of a kind (invoice.*), or *
   */
  event_type?: string;
  /**
   * Status of the deliveries to repeat
   */
  status: ReplayableStatus & string;
  /**
   * Inclusive
   */
  since?: string;
  /**
   * Exclusive; default now
   */
  until?: string;
}
export interface WebhookReplayListQuery {
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface AgentWorkOrder {
  id: string;
  job_number: string;
  /**
   * Derived; no client sets it
   */
  billing_status: BillingStatus;
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
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
  /**
   * - `offered`: The job was offered to the driver
   * - `acknowledged`: The driver accepted it
   * - `en_route`: On the way to the vehicle
   * - `on_scene`: At the vehicle
   * - `hooked`: The vehicle is hooked or loaded
   * - `towing`: On the way to the destination
   * - `at_destination`: At the destination
   * - `cleared`: The vehicle is unloaded, and the truck is free
   */
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  /**
   * - `customer`: The customer cancelled
   * - `club`: The motor club cancelled
   * - `provider`: The tow company cancelled
   * - `goa`: Gone on arrival: the vehicle was not there
   * - `unsuccessful`: The truck was there and could not do the job
   */
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  status: "new" | "pending" | "dispatched" | "in_progress" | "completed" | "cancelled";
}
export interface AgentWorkOrderListItem {
  id: string;
  job_number: string;
  status: "new" | "pending" | "dispatched" | "in_progress" | "completed" | "cancelled";
  billing_status: BillingStatus;
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
  service_type: string;
  customer_name?: string;
  pickup_location?: string;
  created_at: string;
}
export interface WorkOrder {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  /**
   * Derived; no client sets it
   */
  billing_status: BillingStatus;
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
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
  /**
   * - `offered`: The job was offered to the driver
   * - `acknowledged`: The driver accepted it
   * - `en_route`: On the way to the vehicle
   * - `on_scene`: At the vehicle
   * - `hooked`: The vehicle is hooked or loaded
   * - `towing`: On the way to the destination
   * - `at_destination`: At the destination
   * - `cleared`: The vehicle is unloaded, and the truck is free
   */
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  /**
   * - `customer`: The customer cancelled
   * - `club`: The motor club cancelled
   * - `provider`: The tow company cancelled
   * - `goa`: Gone on arrival: the vehicle was not there
   * - `unsuccessful`: The truck was there and could not do the job
   */
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
}
export interface WorkOrderAction {
  [k: string]: unknown;
}
export interface WorkOrderAssign {
  truck_id: string;
  /**
   * Default: the truck's own driver. With null the work order has no driver
   */
  driver_id?: string | null;
  eta?: string | null;
}
export interface WorkOrderCancel {
  /**
   * goa and unsuccessful are for jobs in progress
   */
  reason: CancelReason;
  note?: string | null;
}
export interface WorkOrderComplete {
  /**
   * Default: now
   */
  at?: string;
  /**
   * Loaded miles
   */
  miles?: number;
}
export interface WorkOrderCreate {
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
  service_type: string;
  customer_id?: string | null;
  pickup_location?: string | null;
  dropoff_location?: string | null;
  vin?: string | null;
  notes?: string | null;
  /**
   * The customer may see them
   */
  customer_notes?: string | null;
  /**
   * Billing address of agents' drafts for this job, instead of the customer's
   */
  billing_email?: string | null;
  contact_name?: string | null;
  contact_phone?: string | null;
  pickup?: {
    /**
     * Also sets pickup_location when that is absent
     */
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
}
export interface WorkOrderListQuery {
  /**
   * pending includes jobs that are not accepted yet; new means those alone
   */
  status?: "pending" | "dispatched" | "in_progress" | "completed" | "cancelled" | "new";
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
  service_type?: string;
  customer_id?: string;
  /**
   * Part of job_number or vin
   */
  search?: string;
  /**
   * Inclusive
   */
  since?: string;
  /**
   * Exclusive
   */
  until?: string;
  /**
   * The date that since and until compare; default created_at
   */
  date_field?: "created_at" | "updated_at" | "dispatch_time" | "completion_time";
  /**
   * Page size
   */
  limit: number;
  /**
   * `data.cursor` of the page before
   */
  cursor?: string;
}
export interface WorkOrderPatch {
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
  service_type?: string;
  customer_id?: string | null;
  pickup_location?: string | null;
  dropoff_location?: string | null;
  vin?: string | null;
  notes?: string | null;
  /**
   * The customer may see them
   */
  customer_notes?: string | null;
  /**
   * Billing address of agents' drafts for this job, instead of the customer's
   */
  billing_email?: string | null;
  contact_name?: string | null;
  contact_phone?: string | null;
  pickup?: {
    /**
     * Also sets pickup_location when that is absent
     */
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
}
export interface WorkOrderStepEntry {
  step: DriverStep;
  /**
   * Default: now
   */
  at?: string;
  lat?: number | null;
  lng?: number | null;
}
export interface Accepted {
  ok: true;
  data: {
    operation_id: string;
    status: "queued";
  };
}
export interface ErrorBody {
  /**
   * Codes may be added: treat one that you do not know by its HTTP status
   */
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
}
export interface Operation {
  id: string;
  status: OperationStatus;
  /**
   * The resource, or its id alone when the write changed nothing and the key may not read it; only when succeeded
   */
  result?: {
    [k: string]: unknown;
  };
  error?: ErrorBody;
  created_at: string;
}
export interface WriteReceipt {
  ok: true;
  /**
   * Only of a dry run
   */
  dry_run?: true;
  data: {
    id: string;
  };
  /**
   * Only of a dry run
   */
  warnings?: string[];
}
export interface ActiveJob {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  /**
   * Derived; no client sets it
   */
  billing_status: BillingStatus;
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
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
  /**
   * - `offered`: The job was offered to the driver
   * - `acknowledged`: The driver accepted it
   * - `en_route`: On the way to the vehicle
   * - `on_scene`: At the vehicle
   * - `hooked`: The vehicle is hooked or loaded
   * - `towing`: On the way to the destination
   * - `at_destination`: At the destination
   * - `cleared`: The vehicle is unloaded, and the truck is free
   */
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  /**
   * - `customer`: The customer cancelled
   * - `club`: The motor club cancelled
   * - `provider`: The tow company cancelled
   * - `goa`: Gone on arrival: the vehicle was not there
   * - `unsuccessful`: The truck was there and could not do the job
   */
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  priority: number;
  /**
   * Seconds since the dispatch
   */
  elapsed_s: number;
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
  /**
   * How many of each are not shown; absent if all are shown
   */
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
  /**
   * On a job: assigned, en_route, on_scene, towing or returning, by the progress of that job
   */
  status: TruckStatus;
  driver_id: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  /**
   * Last known position
   */
  location: {
    lat: number;
    lng: number;
    heading: number | null;
    speed_mph: number | null;
    at: string;
    /**
     * Older than five minutes
     */
    stale: boolean;
  } | null;
  /**
   * The dispatched or in_progress work order that the truck is on
   */
  current_work_order_id: string | null;
  created_at: string;
  updated_at: string;
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
}
export interface UnassignedJob {
  id: string;
  job_number: string;
  status: WorkOrderStatus;
  /**
   * Derived; no client sets it
   */
  billing_status: BillingStatus;
  /**
   * Open vocabulary. Published values: tow, light_duty_tow, medium_duty_tow, heavy_duty_tow, motorcycle_tow, flatbed_tow, accident_tow, impound_tow, private_property_tow, secondary_tow, transport, recovery, winch_out, load_shift, roadside_service, jump_start, battery_replacement, lockout, key_made, tire_change, fuel_delivery, mobile_mechanic, other.
   */
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
  /**
   * - `offered`: The job was offered to the driver
   * - `acknowledged`: The driver accepted it
   * - `en_route`: On the way to the vehicle
   * - `on_scene`: At the vehicle
   * - `hooked`: The vehicle is hooked or loaded
   * - `towing`: On the way to the destination
   * - `at_destination`: At the destination
   * - `cleared`: The vehicle is unloaded, and the truck is free
   */
  step:
    "offered" | "acknowledged" | "en_route" | "on_scene" | "hooked" | "towing" | "at_destination" | "cleared" | null;
  eta: string | null;
  miles: number | null;
  /**
   * - `customer`: The customer cancelled
   * - `club`: The motor club cancelled
   * - `provider`: The tow company cancelled
   * - `goa`: Gone on arrival: the vehicle was not there
   * - `unsuccessful`: The truck was there and could not do the job
   */
  cancel_reason: "customer" | "club" | "provider" | "goa" | "unsuccessful" | null;
  cancel_note: string | null;
  created_at: string;
  updated_at: string;
  priority: number;
  /**
   * Seconds since the booking
   */
  waiting_s: number;
}
export interface CustomerStatement {
  customer_id: string;
  company_name: string;
  since: string;
  until: string;
  /**
   * Negative: credit
   */
  opening_balance_cents: number;
  invoiced_cents: number;
  paid_cents: number;
  refunded_cents: number;
  /**
   * opening + invoiced - paid + refunded
   */
  closing_balance_cents: number;
  /**
   * Open amounts now, by days past the due date
   */
  aging: {
    current_cents: number;
    days_1_30_cents: number;
    days_31_60_cents: number;
    days_61_90_cents: number;
    over_90_cents: number;
  };
  /**
   * Sorted by time, oldest first
   */
  entries: StatementEntry[];
}
export interface StatementEntry {
  at: string;
  kind: "invoice" | "payment" | "refund";
  /**
   * Id of the invoice, payment or refund
   */
  id: string;
  /**
   * Number of the invoice; reference or method of the payment; reason of the refund
   */
  reference: string;
  /**
   * Change in what the customer owes; negative: owes less
   */
  amount_cents: number;
  /**
   * What the customer owed after this entry; negative: credit
   */
  balance_cents: number;
}
export interface CustomerStatementQuery {
  /**
   * Inclusive. Default: 90 days ago
   */
  since?: string;
  /**
   * Exclusive. Default: now
   */
  until?: string;
}
export interface EventType {
  /**
   * One of invoice.created, invoice.sent, invoice.paid, invoice.overdue, work_order.created, work_order.completed, dispatch.assigned, ai.suggestion.created, endpoint.failing, endpoint.disabled, endpoint.recovered, delivery.exhausted, export.completed. Later versions may add types
   */
  type: string;
  description: string;
  fires_when: string;
  /**
   * True for events about the service itself, such as webhooks and exports
   */
  operational: boolean;
  /**
   * JSON Schema (2020-12) of the whole delivered body
   */
  schema: {
    [k: string]: unknown;
  };
}
