import { Button, Stack, Text } from '@mantine/core';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import type { Filter } from '../../../parts/list/filters';
import { PagedTable } from '../../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { EntityLink } from '../../../parts/url/entity-link';
import { useUrlSearch } from '../../../parts/url/use-url';
import { TimeAgo } from '../../../parts/values/time';

type Notice = Schemas['Notice'];

const PAGE_SIZE = 20;

export const NOTICE_FILTERS: readonly Filter[] = [
  {
    name: 'unread',
    label: 'Notices',
    kind: 'choice',
    options: [
      { value: 'true', label: 'Unread' },
      { value: 'false', label: 'Read' },
    ],
  },
];

export function NoticeTable() {
  const { unread } = useUrlSearch();
  const filter = unread ? { unread: unread === 'true' } : {};
  return (
    <PagedTable<Notice>
      label="Notices"
      queryKey={['/notices', filter]}
      readPage={async (cursor) => {
        const query = { limit: PAGE_SIZE, ...filter, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/notices', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty={unread ? 'No notice matches this filter.' : 'There are no notices. The set-up needs nobody now.'}
      columns={[
        { header: 'Notice', render: (notice) => <NoticeWords notice={notice} /> },
        {
          header: 'Record',
          render: ({ entity_type: type, entity_id: id }) => (
            <EntityLink type={type} id={id}>
              {humanize(type)}
            </EntityLink>
          ),
        },
        { header: 'Status', render: ({ read_at: at }) => <StatusBadge status={at ? 'read' : 'unread'} /> },
        { header: 'Written', render: ({ created_at: at }) => <TimeAgo at={at} /> },
        { header: 'Mailed', render: ({ mailed_at: at }) => <TimeAgo at={at} empty="To nobody" /> },
        { header: 'Actions', render: (notice) => <MarkRead notice={notice} /> },
      ]}
    />
  );
}

function NoticeWords({ notice }: { notice: Notice }) {
  return (
    <Stack gap={2} miw={220}>
      <Text size="sm" fw={600}>
        {notice.title}
      </Text>
      <Text size="sm">{notice.text}</Text>
    </Stack>
  );
}

function MarkRead({ notice }: { notice: Notice }) {
  const canWrite = useCan('write');
  const write = useWrite((headers, id: string) =>
    client.POST('/notices/{id}/read', { params: { path: { id }, header: headers }, body: {} }),
  );
  if (notice.read_at !== null || !canWrite) return null;
  return (
    <>
      {write.problem && <ProblemAlert problem={write.problem} />}
      <Button
        size="compact-sm"
        variant="default"
        loading={write.isRunning}
        aria-label={`Mark as read: ${notice.title}`}
        onClick={() => void write.run(notice.id)}
      >
        Mark as read
      </Button>
    </>
  );
}
