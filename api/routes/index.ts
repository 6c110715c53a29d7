/*
 * The routes of all resources. Both the router and the OpenAPI document are built from this list.
 */

export { accountRoutes } from './account.js';
export { agentKeyRoutes } from './agent-keys.js';
export { apiKeyRoutes } from './api-keys.js';
export { approvalRoutes } from './approvals.js';
export { auditLogRoutes } from './audit-log.js';
export { claimRoutes } from './claims.js';
export { connectionRoutes } from './connections.js';
export { customerRoutes } from './customers.js';
export { dispatchRoutes } from './dispatch.js';
export { driverRoutes } from './drivers.js';
export { eventTypeRoutes } from './event-types.js';
export { eventRoutes } from './events.js';
export { exportScheduleRoutes } from './export-schedules.js';
export { exportRoutes } from './exports.js';
export { impoundRoutes } from './impounds.js';
export { inspectionRoutes } from './inspections.js';
export { invitationRoutes } from './invitations.js';
export { invoicePdfRoutes } from './invoice-pdf.js';
export { invoiceRoutes } from './invoices.js';
export { logoRoutes } from './logo.js';
export { messageRoutes } from './messages.js';
export { myFactorRoutes } from './my-factors.js';
export { mySessionRoutes } from './my-sessions.js';
export { noticeRoutes } from './notices.js';
export { overviewRoutes } from './overview.js';
export { passwordResetRoutes } from './password-reset.js';
export { paymentRoutes } from './payments.js';
export { rateCardRoutes } from './rate-cards.js';
export { recurringInvoiceRoutes } from './recurring-invoices.js';
export { sessionRoutes } from './session.js';
export { sessionFactorRoutes } from './session-factor.js';
export { settingsRoutes } from './settings.js';
export { signUpRoutes } from './signup.js';
export { suggestionRoutes } from './suggestions.js';
export { syncIssueRoutes } from './sync-issues.js';
export { truckRoutes } from './trucks.js';
export { userRoutes } from './users.js';
export { webhookDeliveryRoutes } from './webhook-deliveries.js';
export { webhookEndpointRoutes } from './webhook-endpoints.js';
export { webhookReplayRoutes } from './webhook-replays.js';
export { workOrderPhotoRoutes } from './work-order-photos.js';
export { workOrderRoutes } from './work-orders.js';
