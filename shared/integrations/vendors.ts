import { smtp } from './smtp/adapter.js';
import { Vendors } from './vendor.js';

/** All vendors, one line each. */
export const VENDORS = new Vendors([smtp]);
