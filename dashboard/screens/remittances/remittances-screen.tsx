import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/records';
import { useCan } from '../../api/session';
import { REMITTANCE_STATUS } from '../../generated/vocabulary';
import { wordsOf } from '../../parts/choices/words';
import type { Filter } from '../../parts/list/filters';
import { ListScreen } from '../../parts/list/list-screen';
import type { Column } from '../../parts/record/record-table';
import { StatusBadge } from '../../parts/record/status-badge';
import { buildCurl } from '../../parts/values/curl';
import { Money } from '../../parts/values/money';
import { NewRemittance } from './new-remittance';

type Remittance = Schemas['Remittance'];

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(REMITTANCE_STATUS) },
];

const COLUMNS: readonly Column<Remittance>[] = [
  { header: 'Payer', render: ({ payer }) => payer },
  { header: 'Status', width: 150, render: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Paid on', render: ({ paid_on: day }) => <span className="digits">{day}</span> },
  { header: 'Open lines', align: 'right', render: ({ open_count: count }) => count },
  { header: 'Applied', align: 'right', render: ({ applied_cents: cents }) => <Money cents={cents} /> },
  { header: 'Total', align: 'right', render: ({ total_cents: cents }) => <Money cents={cents} /> },
];

const EXAMPLE = {
  payer: 'Riverside Auto Club',
  reference: 'CHK 20417',
  paid_on: '2026-11-20',
  total_cents: 12_500,
  lines: [{ po_number: 'PO-1001', amount_cents: 12_500 }],
};

/** What motor clubs paid with one check or transfer each. */
export function RemittancesScreen() {
  const [isImporting, setImporting] = useState(false);
  const canWrite = useCan('write');
  const importButton = canWrite && <Button onClick={() => setImporting(true)}>Import remittance</Button>;
  return (
    <>
      <ListScreen<Remittance>
        name="Remittances"
        path="/remittances"
        filters={FILTERS}
        columns={COLUMNS}
        nameHeader="Reference"
        rowName={({ reference }) => reference}
        actions={importButton}
        empty={{
          text: 'There are no remittances yet. A remittance is the list with which a motor club says what one check or transfer pays.',
          action: importButton,
          curl: buildCurl('/remittances', { method: 'POST', body: EXAMPLE }),
        }}
      />
      {isImporting && <NewRemittance onClose={() => setImporting(false)} />}
    </>
  );
}
