import type { Knex } from 'knex';
import * as createTenancy from './20261121040000_create_tenancy.js';
import * as createRecords from './20261121040100_create_records.js';
import * as createWritePath from './20261121040200_create_write_path.js';
import * as isolateTenants from './20261121040300_isolate_tenants.js';
import * as addLifecycles from './20261121050000_add_lifecycles.js';
import * as indexTrucksOnJobs from './20261121050100_index_trucks_on_jobs.js';
import * as orderEvents from './20261121050200_order_events.js';
import * as indexEventsByOrder from './20261121050300_index_events_by_order.js';
import * as identifySettings from './20261121050400_identify_settings.js';
import * as addSessions from './20261121060000_add_sessions.js';
import * as indexPeople from './20261121060100_index_people.js';
import * as indexAuditLog from './20261121060200_index_audit_log.js';
import * as addApprovals from './20261121061000_add_approvals.js';
import * as indexAgentDrafts from './20261121061001_index_agent_drafts.js';
import * as addRateCardsAndImpounds from './20261121062000_add_rate_cards_and_impounds.js';
import * as validateCustomerRateCards from './20261121062001_validate_customer_rate_cards.js';
import * as deliverMessages from './20261121063000_deliver_messages.js';
import * as indexQueuedMessages from './20261121063001_index_queued_messages.js';
import * as addSuggestions from './20261121064000_add_suggestions.js';
import * as indexWatchedRecords from './20261121064010_index_watched_records.js';
import * as addClaims from './20261121064020_add_claims.js';
import * as indexPaymentsOfCustomers from './20261121065000_index_payments_of_customers.js';
import * as addWebhooks from './20261122010000_add_webhooks.js';
import * as partitionEvents from './20261122050000_partition_events.js';
import * as addNotices from './20261122060000_add_notices.js';
import * as addJobBilling from './20261122070000_add_job_billing.js';
import * as addExports from './20261122080000_add_exports.js';
import * as addExportSchedules from './20261122090000_add_export_schedules.js';
import * as recordClockRuns from './20261123020000_record_clock_runs.js';
import * as copyCustomerTerms from './20261123020100_copy_customer_terms.js';
import * as indexDueInvoices from './20261123020200_index_due_invoices.js';
import * as indexLiveKeys from './20261123030000_index_live_keys.js';
import * as rememberSignInAddresses from './20261123030100_remember_sign_in_addresses.js';
import * as addLetterheads from './20261123040000_add_letterheads.js';
import * as indexSearches from './20261123050000_index_searches.js';
import * as boundAgents from './20261123060000_bound_agents.js';
import * as addMailDays from './20261123060100_add_mail_days.js';
import * as addDeploymentFacts from './20261123070000_add_deployment_facts.js';
import * as markCountedMails from './20261123200000_mark_counted_mails.js';
import * as markSettledOperations from './20261123210000_mark_settled_operations.js';
import * as addConnections from './20261123220000_add_connections.js';
import * as guardVendorWork from './20261125200000_guard_vendor_work.js';
import * as checkLinesInSets from './20261126093000_check_lines_in_sets.js';
import * as storeJson from './20261126140000_store_json.js';
import * as addRoles from './20261126220000_add_roles.js';
import * as addFactors from './20261127010000_add_factors.js';
import * as describeSessions from './20261127010100_describe_sessions.js';
import * as requireFactors from './20261127010200_require_factors.js';
import * as addJoining from './20261127020000_add_joining.js';
import * as addWorkOrderPhotos from './20261127030000_add_work_order_photos.js';
import * as nameDeciders from './20261127040000_name_deciders.js';
import * as addWording from './20261127050000_add_wording.js';
import * as guardJoining from './20261127060000_guard_joining.js';
import * as addRecurringInvoices from './20261127120000_add_recurring_invoices.js';
import * as markRecurringInvoices from './20261127120001_mark_recurring_invoices.js';
import * as addOnlinePayments from './20261127130000_add_online_payments.js';
import * as indexWaitingNotices from './20261127130100_index_waiting_notices.js';
import * as addProviderRefunds from './20261127140000_add_provider_refunds.js';
import * as indexVendorPayments from './20261127140100_index_vendor_payments.js';
import * as addTextsOfJobs from './20261127150000_add_texts_of_jobs.js';
import * as indexPhones from './20261127150100_index_phones.js';
import * as addTerminalPayments from './20261127160000_add_terminal_payments.js';
import * as addPayouts from './20261127170000_add_payouts.js';
import * as addTextLimits from './20261127180000_add_text_limits.js';
import * as addSavedMethods from './20261127190000_add_saved_methods.js';
import * as indexAutopay from './20261127190100_index_autopay.js';
import * as addDriverPayments from './20261128100000_add_driver_payments.js';
import * as addPretendMethods from './20261128110000_add_pretend_methods.js';
import * as addBooks from './20261128200000_add_books.js';
import * as indexExternalIds from './20261128200100_index_external_ids.js';
import * as addTelematics from './20261128220000_add_telematics.js';
import * as indexTruckNames from './20261128220100_index_truck_names.js';
import * as addBillingPartner from './20261128231000_add_billing_partner.js';
import * as indexPartnerClaims from './20261128231100_index_partner_claims.js';
import * as addClubOffers from './20261128232000_add_club_offers.js';
import * as addConnectionDrivers from './20261129001000_add_connection_drivers.js';
import * as indexDriverKeys from './20261129001100_index_driver_keys.js';
import * as addDrivenMiles from './20261129002000_add_driven_miles.js';
import * as indexDueDrives from './20261129002100_index_due_drives.js';
import * as indexReleasedImpounds from './20261129002200_index_released_impounds.js';
import * as addBookReconciliations from './20261129003000_add_book_reconciliations.js';
import * as indexInvoiceNumbers from './20261129010000_index_invoice_numbers.js';
import * as completeBookReconciliations from './20261129010100_complete_book_reconciliations.js';
import * as indexMeasuredDrives from './20261129020000_index_measured_drives.js';
import * as indexVoidedInvoices from './20261129020100_index_voided_invoices.js';
import * as addDropoffCoordinates from './20261129030000_add_dropoff_coordinates.js';
import * as addRemittances from './20261130010000_add_remittances.js';
import * as indexPoNumbers from './20261130010100_index_po_numbers.js';
import * as addOdometers from './20261130020000_add_odometers.js';
import * as addKeptOdometers from './20261130020100_add_kept_odometers.js';
import * as addSourcesOfDrivenMiles from './20261130020200_add_sources_of_driven_miles.js';
import * as addCoverage from './20261130030000_add_coverage.js';
import * as indexCoverage from './20261130030100_index_coverage.js';
import * as addSuggestedSubtotals from './20261130030200_add_suggested_subtotals.js';
import * as addUnansweredWrites from './20261130040000_add_unanswered_writes.js';
import * as indexEndedClaims from './20261130040100_index_ended_claims.js';
import * as indexClubContacts from './20261130040200_index_club_contacts.js';
import * as indexPaymentParts from './20261130040300_index_payment_parts.js';
import * as deleteRemittances from './20261130050000_delete_remittances.js';
import * as recordLostWrites from './20261130060000_record_lost_writes.js';
import * as addFrozenAccounts from './20261201060000_add_frozen_accounts.js';
import * as indexOperationsAndIssues from './20261202060000_index_operations_and_issues.js';
import * as addDeliveredAt from './20261203060000_add_delivered_at.js';
import * as sortLists from './20261203070000_sort_lists.js';

interface Migration {
  name: string;
  config?: { transaction: boolean };
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/**
 * All migrations in the sequence in which they run. A migration is frozen once it is merged:
 * test/contract/migrations-frozen.test.ts compares its checksum.
 */
export const migrations: readonly Migration[] = [
  { name: '20261121040000_create_tenancy', ...createTenancy },
  { name: '20261121040100_create_records', ...createRecords },
  { name: '20261121040200_create_write_path', ...createWritePath },
  { name: '20261121040300_isolate_tenants', ...isolateTenants },
  { name: '20261121050000_add_lifecycles', ...addLifecycles },
  { name: '20261121050100_index_trucks_on_jobs', ...indexTrucksOnJobs },
  { name: '20261121050200_order_events', ...orderEvents },
  { name: '20261121050300_index_events_by_order', ...indexEventsByOrder },
  { name: '20261121050400_identify_settings', ...identifySettings },
  { name: '20261121060000_add_sessions', ...addSessions },
  { name: '20261121060100_index_people', ...indexPeople },
  { name: '20261121060200_index_audit_log', ...indexAuditLog },
  { name: '20261121061000_add_approvals', ...addApprovals },
  { name: '20261121061001_index_agent_drafts', ...indexAgentDrafts },
  { name: '20261121062000_add_rate_cards_and_impounds', ...addRateCardsAndImpounds },
  { name: '20261121062001_validate_customer_rate_cards', ...validateCustomerRateCards },
  { name: '20261121063000_deliver_messages', ...deliverMessages },
  { name: '20261121063001_index_queued_messages', ...indexQueuedMessages },
  { name: '20261121064000_add_suggestions', ...addSuggestions },
  { name: '20261121064010_index_watched_records', ...indexWatchedRecords },
  { name: '20261121064020_add_claims', ...addClaims },
  { name: '20261121065000_index_payments_of_customers', ...indexPaymentsOfCustomers },
  { name: '20261122010000_add_webhooks', ...addWebhooks },
  { name: '20261122050000_partition_events', ...partitionEvents },
  { name: '20261122060000_add_notices', ...addNotices },
  { name: '20261122070000_add_job_billing', ...addJobBilling },
  { name: '20261122080000_add_exports', ...addExports },
  { name: '20261122090000_add_export_schedules', ...addExportSchedules },
  { name: '20261123020000_record_clock_runs', ...recordClockRuns },
  { name: '20261123020100_copy_customer_terms', ...copyCustomerTerms },
  { name: '20261123020200_index_due_invoices', ...indexDueInvoices },
  { name: '20261123030000_index_live_keys', ...indexLiveKeys },
  { name: '20261123030100_remember_sign_in_addresses', ...rememberSignInAddresses },
  { name: '20261123040000_add_letterheads', ...addLetterheads },
  { name: '20261123050000_index_searches', ...indexSearches },
  { name: '20261123060000_bound_agents', ...boundAgents },
  { name: '20261123060100_add_mail_days', ...addMailDays },
  { name: '20261123070000_add_deployment_facts', ...addDeploymentFacts },
  { name: '20261123200000_mark_counted_mails', ...markCountedMails },
  { name: '20261123210000_mark_settled_operations', ...markSettledOperations },
  { name: '20261123220000_add_connections', ...addConnections },
  { name: '20261125200000_guard_vendor_work', ...guardVendorWork },
  { name: '20261126093000_check_lines_in_sets', ...checkLinesInSets },
  { name: '20261126140000_store_json', ...storeJson },
  { name: '20261126220000_add_roles', ...addRoles },
  { name: '20261127010000_add_factors', ...addFactors },
  { name: '20261127010100_describe_sessions', ...describeSessions },
  { name: '20261127010200_require_factors', ...requireFactors },
  { name: '20261127020000_add_joining', ...addJoining },
  { name: '20261127030000_add_work_order_photos', ...addWorkOrderPhotos },
  { name: '20261127040000_name_deciders', ...nameDeciders },
  { name: '20261127050000_add_wording', ...addWording },
  { name: '20261127060000_guard_joining', ...guardJoining },
  { name: '20261127120000_add_recurring_invoices', ...addRecurringInvoices },
  { name: '20261127120001_mark_recurring_invoices', ...markRecurringInvoices },
  { name: '20261127130000_add_online_payments', ...addOnlinePayments },
  { name: '20261127130100_index_waiting_notices', ...indexWaitingNotices },
  { name: '20261127140000_add_provider_refunds', ...addProviderRefunds },
  { name: '20261127140100_index_vendor_payments', ...indexVendorPayments },
  { name: '20261127150000_add_texts_of_jobs', ...addTextsOfJobs },
  { name: '20261127150100_index_phones', ...indexPhones },
  { name: '20261127160000_add_terminal_payments', ...addTerminalPayments },
  { name: '20261127170000_add_payouts', ...addPayouts },
  { name: '20261127180000_add_text_limits', ...addTextLimits },
  { name: '20261127190000_add_saved_methods', ...addSavedMethods },
  { name: '20261127190100_index_autopay', ...indexAutopay },
  { name: '20261128100000_add_driver_payments', ...addDriverPayments },
  { name: '20261128110000_add_pretend_methods', ...addPretendMethods },
  { name: '20261128200000_add_books', ...addBooks },
  { name: '20261128200100_index_external_ids', ...indexExternalIds },
  { name: '20261128220000_add_telematics', ...addTelematics },
  { name: '20261128220100_index_truck_names', ...indexTruckNames },
  { name: '20261128231000_add_billing_partner', ...addBillingPartner },
  { name: '20261128231100_index_partner_claims', ...indexPartnerClaims },
  { name: '20261128232000_add_club_offers', ...addClubOffers },
  { name: '20261129001000_add_connection_drivers', ...addConnectionDrivers },
  { name: '20261129001100_index_driver_keys', ...indexDriverKeys },
  { name: '20261129002000_add_driven_miles', ...addDrivenMiles },
  { name: '20261129002100_index_due_drives', ...indexDueDrives },
  { name: '20261129002200_index_released_impounds', ...indexReleasedImpounds },
  { name: '20261129003000_add_book_reconciliations', ...addBookReconciliations },
  { name: '20261129010000_index_invoice_numbers', ...indexInvoiceNumbers },
  { name: '20261129010100_complete_book_reconciliations', ...completeBookReconciliations },
  { name: '20261129020000_index_measured_drives', ...indexMeasuredDrives },
  { name: '20261129020100_index_voided_invoices', ...indexVoidedInvoices },
  { name: '20261129030000_add_dropoff_coordinates', ...addDropoffCoordinates },
  { name: '20261130010000_add_remittances', ...addRemittances },
  { name: '20261130010100_index_po_numbers', ...indexPoNumbers },
  { name: '20261130020000_add_odometers', ...addOdometers },
  { name: '20261130020100_add_kept_odometers', ...addKeptOdometers },
  { name: '20261130020200_add_sources_of_driven_miles', ...addSourcesOfDrivenMiles },
  { name: '20261130030000_add_coverage', ...addCoverage },
  { name: '20261130030100_index_coverage', ...indexCoverage },
  { name: '20261130030200_add_suggested_subtotals', ...addSuggestedSubtotals },
  { name: '20261130040000_add_unanswered_writes', ...addUnansweredWrites },
  { name: '20261130040100_index_ended_claims', ...indexEndedClaims },
  { name: '20261130040200_index_club_contacts', ...indexClubContacts },
  { name: '20261130040300_index_payment_parts', ...indexPaymentParts },
  { name: '20261130050000_delete_remittances', ...deleteRemittances },
  { name: '20261130060000_record_lost_writes', ...recordLostWrites },
  { name: '20261201060000_add_frozen_accounts', ...addFrozenAccounts },
  { name: '20261202060000_index_operations_and_issues', ...indexOperationsAndIssues },
  { name: '20261203060000_add_delivered_at', ...addDeliveredAt },
  { name: '20261203070000_sort_lists', ...sortLists },
];

/** A process of this version serves only if the database has reached this migration. */
export const MIGRATION_HEAD = migrations.at(-1)?.name ?? '';
