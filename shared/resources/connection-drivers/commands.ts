import type { DriverLink } from '../../contracts/generated.js';
import { defineLinkCommands } from '../fleet-links/link-commands.js';
import { driverLink, driverUnlink } from './schema.js';

/** Links a vendor's driver to a driver here, so that the driver's reports name the driver here. */
export const { link: linkDriver, unlink: unlinkDriver } = defineLinkCommands<DriverLink>(
  'connection_driver',
  { link: driverLink, unlink: driverUnlink },
);
