import type { CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { DriverCreate, DriverLink } from '../../contracts/generated.js';
import { failedOutcome } from '../../records/outcomes.js';
import { createDrivers } from '../drivers/handlers.js';
import type { NamedConnection } from '../fleet-links/link-commands.js';
import { createLinkHandlers, type ListedRow } from '../fleet-links/link-handlers.js';
import { DRIVERS } from './driver-kind.js';

interface DriverRow extends ListedRow {
  name: string | null;
  phone: string | null;
}

type LinkInput = DriverLink & NamedConnection;

/** Builds a driver with the vendor's name and phone number. */
function buildDriver(
  input: LinkInput,
  { name: listedName, phone }: DriverRow,
): DriverCreate | CommandOutcome {
  const name = input.name ?? listedName;
  if (name) return { name, phone };
  const message = 'name is required, because the vendor lists none';
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'name', code: 'required', message }],
  });
}

const { link, unlink } = createLinkHandlers<LinkInput, DriverRow, DriverCreate>(DRIVERS, {
  build: buildDriver,
  create: createDrivers,
});

export const connectionDriverHandlers: CommandHandlers = {
  'connection_driver.link': link,
  'connection_driver.unlink': unlink,
};
