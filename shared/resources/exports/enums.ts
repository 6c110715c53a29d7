import { namedEnum } from '../../contracts/named-enum.js';
import { EXPORT_STATUSES } from '../../contracts/vocabulary.js';

export const exportStatus = namedEnum('ExportStatus', EXPORT_STATUSES, {
  queued: 'Waits to be written',
  running: 'Being written. `progress` shows how far',
  completed: 'Written. Download it from `download_url`',
  failed: 'Could not be written. `error` holds the reason',
  cancelled: 'Cancelled before it was written',
  expired: 'Its file has been deleted',
});
