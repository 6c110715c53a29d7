import type { components } from '../generated/api';

/** The schemas of openapi.json by name: `Schemas['Invoice']`. */
export type Schemas = components['schemas'];

export type Invoice = Schemas['Invoice'];
export type InvoiceListItem = Schemas['InvoiceListItem'];
export type WorkOrderListItem = Schemas['WorkOrderListItem'];
export type WorkOrder = Schemas['WorkOrder'];
export type Customer = Schemas['Customer'];
export type Truck = Schemas['Truck'];
export type Driver = Schemas['Driver'];
export type EventRecord = Schemas['Event'];
