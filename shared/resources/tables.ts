import { apiKeyRepresentation } from './api-keys/representation.js';
import { claimRepresentation } from './claims/representation.js';
import { customerRepresentation } from './customers/representation.js';
import { driverRepresentation } from './drivers/representation.js';
import { eventRepresentation } from './events/representation.js';
import { inspectionRepresentation } from './inspections/representation.js';
import { invoiceRepresentation } from './invoices/representation.js';
import { paymentRepresentation } from './payments/representation.js';
import { settingsRepresentation } from './settings/representation.js';
import { suggestionRepresentation } from './suggestions/representation.js';
import { truckRepresentation } from './trucks/representation.js';
import { workOrderRepresentation } from './work-orders/representation.js';

interface ResourceTable {
  table: string;
  /** Path of its list without the version prefix. */
  collection: string;
  representation: (alias: string) => string;
}

/** Where each entity is kept and the one SQL projection that is its JSON. */
export const TABLES: Readonly<Record<string, ResourceTable>> = {
  invoice: { table: 'invoices', collection: '/invoices', representation: invoiceRepresentation },
  work_order: { table: 'work_orders', collection: '/work-orders', representation: workOrderRepresentation },
  customer: { table: 'customers', collection: '/customers', representation: customerRepresentation },
  payment: { table: 'payments', collection: '/payments', representation: paymentRepresentation },
  claim: { table: 'claims', collection: '/claims', representation: claimRepresentation },
  suggestion: { table: 'suggestions', collection: '/suggestions', representation: suggestionRepresentation },
  truck: { table: 'trucks', collection: '/trucks', representation: truckRepresentation },
  driver: { table: 'drivers', collection: '/drivers', representation: driverRepresentation },
  inspection: { table: 'inspections', collection: '/inspections', representation: inspectionRepresentation },
  event: { table: 'events', collection: '/events', representation: eventRepresentation },
  settings: { table: 'tenants', collection: '/settings', representation: settingsRepresentation },
  api_key: { table: 'api_keys', collection: '/api-keys', representation: apiKeyRepresentation },
};

/** @throws {Error} for an entity that no code of this version knows. */
export function resourceTable(entityType: string): ResourceTable {
  const found = TABLES[entityType];
  if (!found) throw new Error(`unknown entity type ${entityType}`);
  return found;
}

/** Path of an entity's list without the version prefix, `/invoices`. */
export function collectionOf(entityType: string): string {
  return resourceTable(entityType).collection;
}
