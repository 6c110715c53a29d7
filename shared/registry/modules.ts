/*
 * All resources, one line each. The lists of tables, schemas and commands are built from these
 * modules.
 */

export { agentKeyModule } from '../resources/agent-keys/module.js';
export { apiKeyModule } from '../resources/api-keys/module.js';
export { approvalModule } from '../resources/approvals/module.js';
export { auditEntryModule } from '../resources/audit-log/module.js';
export { autopayAttemptModule } from '../resources/autopay-attempts/module.js';
export { claimModule } from '../resources/claims/module.js';
export { clubOfferModule } from '../resources/club-offers/module.js';
export { connectionDriverModule } from '../resources/connection-drivers/module.js';
export { connectionVehicleModule } from '../resources/connection-vehicles/module.js';
export { connectionModule } from '../resources/connections/module.js';
export { customerModule } from '../resources/customers/module.js';
export { disputeModule } from '../resources/disputes/module.js';
export { driverModule } from '../resources/drivers/module.js';
export { eventModule } from '../resources/events/module.js';
export { exportScheduleModule } from '../resources/export-schedules/module.js';
export { exportModule } from '../resources/exports/module.js';
export { factorModule } from '../resources/factors/module.js';
export { impoundModule } from '../resources/impounds/module.js';
export { inspectionModule } from '../resources/inspections/module.js';
export { invitationModule } from '../resources/invitations/module.js';
export { invoiceModule } from '../resources/invoices/module.js';
export { messageTemplateModule } from '../resources/message-templates/module.js';
export { messageModule } from '../resources/messages/module.js';
export { noticeModule } from '../resources/notices/module.js';
export { payLinkModule } from '../resources/pay-links/module.js';
export { paymentModule } from '../resources/payments/module.js';
export { payoutModule } from '../resources/payouts/module.js';
export { rateCardModule } from '../resources/rate-cards/module.js';
export { recurringInvoiceModule } from '../resources/recurring-invoices/module.js';
export { refundModule } from '../resources/refunds/module.js';
export { remittanceLineModule } from '../resources/remittance-lines/module.js';
export { remittanceModule } from '../resources/remittances/module.js';
export { savedMethodModule } from '../resources/saved-methods/module.js';
export { sessionModule } from '../resources/sessions/module.js';
export { settingsModule } from '../resources/settings/module.js';
export { suggestionModule } from '../resources/suggestions/module.js';
export { syncIssueModule } from '../resources/sync-issues/module.js';
export { terminalPaymentModule } from '../resources/terminal-payments/module.js';
export { terminalReaderModule } from '../resources/terminal-readers/module.js';
export { textConsentModule } from '../resources/text-consents/module.js';
export { truckModule } from '../resources/trucks/module.js';
export { userModule } from '../resources/users/module.js';
export { webhookDeliveryModule } from '../resources/webhook-deliveries/module.js';
export { webhookEndpointModule } from '../resources/webhook-endpoints/module.js';
export { webhookReplayModule } from '../resources/webhook-replays/module.js';
export { workOrderPhotoModule } from '../resources/work-order-photos/module.js';
export { workOrderModule } from '../resources/work-orders/module.js';
