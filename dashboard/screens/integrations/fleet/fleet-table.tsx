import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCan } from '../../../api/session';
import { type Page, PagedTable } from '../../../parts/record/paged-table';
import type { Column } from '../../../parts/record/record-table';

/** A new connection has no list until the worker has read it, which causes no event. */
const EMPTY_MS = 4000;

/** What all records that a telematics vendor lists have. */
interface ListedRow {
  id: string;
  external_id: string;
  name: string | null;
  removed_at: string | null;
}

/** Names a listed record for people. */
export function nameListed({ name, external_id: id }: Pick<ListedRow, 'name' | 'external_id'>): string {
  return name ?? id;
}

interface FleetTableProps<Row> {
  label: string;
  connectionId: string;
  readPage: (query: { limit: number; cursor?: string }) => Promise<Page<Row> | undefined>;
  empty: string;
  columns: readonly Column<Row>[];
  /** The record here to which the row is linked. */
  getLinkedId: (row: Row) => string | null;
  renderLinked: (row: Row) => ReactNode;
  /** Names the record here that the row probably is. */
  describeProposal: (row: Row) => string | undefined;
  renderLinkDialog: (row: Row, onClose: () => void) => ReactNode;
  renderUnlinkDialog: (row: Row, onClose: () => void) => ReactNode;
}

/** What a telematics vendor lists, with the record here to which each is linked or could be. */
export function FleetTable<Row extends ListedRow>({
  label,
  connectionId,
  readPage,
  empty,
  columns,
  getLinkedId,
  renderLinked,
  describeProposal,
  renderLinkDialog,
  renderUnlinkDialog,
}: FleetTableProps<Row>) {
  const [opened, setOpened] = useState<{ row: Row; isLinked: boolean }>();
  const isAdmin = useCan('admin');
  const close = () => setOpened(undefined);
  return (
    <>
      <PagedTable<Row>
        label={label}
        queryKey={['/connections', connectionId, label]}
        readPage={async (cursor) =>
          (await readPage({ limit: 50, ...(cursor ? { cursor } : {}) })) ?? { items: [], cursor: null }
        }
        rowKey={({ id }) => id}
        pollEmptyMs={EMPTY_MS}
        empty={empty}
        columns={[
          ...columns,
          {
            header: 'Linked to',
            render: (row) =>
              getLinkedId(row) === null ? (
                <Text size="sm" c="dimmed">
                  {describeProposal(row) ?? 'Nobody has linked it'}
                </Text>
              ) : (
                <>
                  {renderLinked(row)}
                  {row.removed_at !== null && (
                    <Text size="sm" c="dimmed">
                      No longer listed by the vendor
                    </Text>
                  )}
                </>
              ),
          },
          {
            header: 'Link',
            render: (row) => {
              const isLinked = getLinkedId(row) !== null;
              const verb = isLinked ? 'Unlink' : 'Link';
              return (
                isAdmin && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`${verb} ${nameListed(row)}`}
                    onClick={() => setOpened({ row, isLinked })}
                  >
                    {verb}
                  </Button>
                )
              );
            },
          },
        ]}
      />
      {opened && (opened.isLinked ? renderUnlinkDialog : renderLinkDialog)(opened.row, close)}
    </>
  );
}
