/*
 * The handlers of all resources, one line each. Only workers may import this list.
 */

export { agentKeyHandlers } from '../../shared/resources/agent-keys/handlers.js';
export { apiKeyHandlers } from '../../shared/resources/api-keys/handlers.js';
export { approvalHandlers } from '../../shared/resources/approvals/handlers.js';
export { autopayAttemptHandlers } from '../../shared/resources/autopay-attempts/handlers.js';
export { claimHandlers } from '../../shared/resources/claims/handlers/index.js';
export { connectionVehicleHandlers } from '../../shared/resources/connection-vehicles/handlers.js';
export { connectionHandlers } from '../../shared/resources/connections/handlers/index.js';
export { customerHandlers } from '../../shared/resources/customers/handlers.js';
export { disputeHandlers } from '../../shared/resources/disputes/handlers.js';
export { driverHandlers } from '../../shared/resources/drivers/handlers.js';
export { exportScheduleHandlers } from '../../shared/resources/export-schedules/handlers.js';
export { exportHandlers } from '../../shared/resources/exports/handlers.js';
export { factorHandlers } from '../../shared/resources/factors/handlers.js';
export { impoundHandlers } from '../../shared/resources/impounds/handlers.js';
export { inspectionHandlers } from '../../shared/resources/inspections/handlers.js';
export { invitationHandlers } from '../../shared/resources/invitations/handlers.js';
export { invoiceHandlers } from '../../shared/resources/invoices/handlers/index.js';
export { messageTemplateHandlers } from '../../shared/resources/message-templates/handlers.js';
export { messageHandlers } from '../../shared/resources/messages/handlers.js';
export { noticeHandlers } from '../../shared/resources/notices/handlers.js';
export { passwordResetHandlers } from '../../shared/resources/password-resets/handlers.js';
export { payLinkHandlers } from '../../shared/resources/pay-links/handlers.js';
export { paymentHandlers } from '../../shared/resources/payments/handlers/index.js';
export { payoutHandlers } from '../../shared/resources/payouts/handlers.js';
export { rateCardHandlers } from '../../shared/resources/rate-cards/handlers.js';
export { recurringInvoiceHandlers } from '../../shared/resources/recurring-invoices/handlers.js';
export { refundHandlers } from '../../shared/resources/refunds/handlers.js';
export { savedMethodHandlers } from '../../shared/resources/saved-methods/handlers.js';
export { sessionHandlers } from '../../shared/resources/sessions/handlers.js';
export { settingsHandlers } from '../../shared/resources/settings/handlers.js';
export { signUpHandlers } from '../../shared/resources/sign-ups/handlers.js';
export { suggestionHandlers } from '../../shared/resources/suggestions/handlers.js';
export { syncIssueHandlers } from '../../shared/resources/sync-issues/handlers.js';
export { terminalPaymentHandlers } from '../../shared/resources/terminal-payments/handlers.js';
export { terminalReaderHandlers } from '../../shared/resources/terminal-readers/handlers.js';
export { textConsentHandlers } from '../../shared/resources/text-consents/handlers.js';
export { truckHandlers } from '../../shared/resources/trucks/handlers.js';
export { userHandlers } from '../../shared/resources/users/handlers.js';
export { webhookDeliveryHandlers } from '../../shared/resources/webhook-deliveries/handlers.js';
export { webhookEndpointHandlers } from '../../shared/resources/webhook-endpoints/handlers.js';
export { webhookReplayHandlers } from '../../shared/resources/webhook-replays/handlers.js';
export { webhookTestHandlers } from '../../shared/resources/webhook-tests/handlers.js';
export { workOrderPhotoHandlers } from '../../shared/resources/work-order-photos/handlers.js';
export { workOrderHandlers } from '../../shared/resources/work-orders/handlers.js';
