import { Vendors } from './contract/vendor.js';
import { smtp } from './smtp/adapter.js';

/** All vendors, one line each. */
export const VENDORS = new Vendors([smtp]);
