import type { ReactNode } from 'react';
import { useTimeZone } from '../../../api/session';
import { CustomerName, DriverName, TruckName } from '../../../parts/choices/record-names';
import { Facts } from '../../../parts/record/facts';
import { humanize } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { describeRange, EXPORT_FILTERS, type ExportFilter, hasRange, nameDateField } from './export-filters';
import { FORMATS, nameResource } from './export-wording';
import type { RequestDraft } from './request-draft';

/**
 * Shows the request of an export or a schedule: resource, format, date range and filters.
 * @param period the text for a schedule's relative period; it replaces the date range
 */
export function RequestFacts({ request, period }: { request: RequestDraft; period?: string }) {
  const timeZone = useTimeZone();
  const { resource, format, filters, include, bom, decimals, compression } = request;
  const set = EXPORT_FILTERS[resource].filter(({ name }) => filters[name] !== undefined);
  const extras = [...include.map(humanize), decimals && 'Decimal amounts', bom && 'Byte order mark'];
  return (
    <Facts
      items={{
        Resource: nameResource(resource),
        Format: FORMATS[format].label,
        Range: hasRange(resource) ? (period ?? describeRange(filters, timeZone) ?? 'All dates') : undefined,
        Date: filters.date_field && nameDateField(filters.date_field),
        ...Object.fromEntries(
          set.map((filter) => [filter.label, <Value key={filter.name} {...{ filter, filters }} />]),
        ),
        'Files and columns': extras.filter(Boolean).join(', ') || undefined,
        Compression: compression === 'none' ? 'None' : undefined,
      }}
    />
  );
}

function Value({ filter, filters }: { filter: ExportFilter; filters: RequestDraft['filters'] }): ReactNode {
  const value = filters[filter.name];
  const id = String(value);
  if (filter.kind === 'customer') return <CustomerName id={id} isLink />;
  if (filter.kind === 'truck') return <TruckName id={id} />;
  if (filter.kind === 'driver') return <DriverName id={id} />;
  if (filter.kind === 'yes_no') return value ? 'Yes' : 'No';
  if (filter.name === 'work_order_id')
    return (
      <RecordLink screen="work-orders" id={id}>
        Open it
      </RecordLink>
    );
  return filter.kind === 'choice' ? humanize(id) : id;
}
