import { Vendors } from './contract/vendor.js';
import { smtp } from './smtp/adapter.js';

export const VENDORS = new Vendors([smtp]);
