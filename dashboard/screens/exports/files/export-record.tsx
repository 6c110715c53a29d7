import { Alert, Stack, Title } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { api } from '../../../api/client';
import { Facts } from '../../../parts/record/facts';
import { RecordDrawer } from '../../../parts/record/record-drawer';
import { RecordTable } from '../../../parts/record/record-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { ScreenLink } from '../../../parts/url/links';
import { CopyButton } from '../../../parts/values/copy';
import { Money } from '../../../parts/values/money';
import { ExactTime, TimeAgo } from '../../../parts/values/time';
import { formatBytes, formatCount, nameExport, SCHEDULES } from '../request/export-wording';
import { RequestFacts } from '../request/request-facts';
import { ExportActions } from './export-actions';
import { type Export, ExportProgress, isUnfinished, pollWhileUnfinished } from './export-progress';

/** A download link works for 15 minutes. Each read of the export returns a new link. */
const NEW_LINK_MS = 10 * 60_000;

export function ExportRecord({ id }: { id: string }) {
  const reading = api.useQuery(
    'get',
    '/exports/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state: { data } }) => (data ? nextReading(data) : false) },
  );
  return (
    <RecordDrawer
      reading={reading}
      name={nameExport}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(one) => <ExportActions shown={one} />}
    >
      {(one) => (
        <>
          {one.error && (
            <Alert variant="outline" color="red" icon={<CircleAlert size={18} aria-hidden />}>
              {one.error.message}
            </Alert>
          )}
          {isUnfinished(one) && <ExportProgress shown={one} />}
          <Section title="Request">
            <RequestFacts request={one} />
          </Section>
          <Section title="Times">
            <Times shown={one} />
          </Section>
          {one.file_name !== null && (
            <Section title="File">
              <Download shown={one} />
            </Section>
          )}
          {one.files.length > 0 && (
            <Section title="Contents">
              <Contents files={one.files} />
            </Section>
          )}
        </>
      )}
    </RecordDrawer>
  );
}

function nextReading(one: Export): number | false {
  return one.download_url === null ? pollWhileUnfinished([one]) : NEW_LINK_MS;
}

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Stack gap="xs" component="section">
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Times({ shown }: { shown: Export }) {
  const { created_at, started_at, completed_at, expires_at, attempts, schedule_id: scheduleId } = shown;
  return (
    <Facts
      items={{
        Requested: <TimeAgo at={created_at} />,
        Started: <TimeAgo at={started_at} empty="Not yet" />,
        Completed: completed_at === null ? undefined : <TimeAgo at={completed_at} />,
        Expires: expires_at === null ? undefined : <ExactTime at={expires_at} />,
        Attempts: attempts > 1 ? attempts : undefined,
        'Requested by':
          scheduleId === null ? undefined : (
            <ScreenLink screen={`exports/${scheduleId}`} search={{ view: SCHEDULES }}>
              A schedule
            </ScreenLink>
          ),
      }}
    />
  );
}

function Download({ shown }: { shown: Export }) {
  const { file_name: name, bytes, sha256, download_expires_at: linkEnds } = shown;
  return (
    <>
      <Facts
        items={{
          Name: name,
          Size: bytes === null ? null : formatBytes(bytes),
          Rows: formatCount(shown.progress.rows),
          'Download link': linkEnds === null ? 'The file has been deleted' : <LinkTime at={linkEnds} />,
        }}
      />
      {sha256 !== null && (
        <Stack gap={4} align="flex-start">
          <Facts items={{ 'Checksum (SHA-256)': <code>{sha256}</code> }} />
          <CopyButton text={sha256} label="checksum" />
        </Stack>
      )}
    </>
  );
}

function LinkTime({ at }: { at: string }) {
  return (
    <>
      Works until <ExactTime at={at} />, also for people without an account
    </>
  );
}

/** The files in the download, with totals to compare with the account's books. */
function Contents({ files }: { files: Export['files'] }) {
  return (
    <RecordTable
      label="Contents"
      rows={files}
      rowKey={({ name }) => name}
      empty="The download has no files."
      columns={[
        { header: 'File', render: ({ name }) => name },
        { header: 'Rows', align: 'right', render: ({ rows }) => formatCount(rows) },
        { header: 'Size', align: 'right', render: ({ bytes }) => formatBytes(bytes) },
        { header: 'Sums', render: ({ sums }) => <Sums sums={sums} /> },
        {
          header: 'Checksum (SHA-256)',
          render: ({ name, sha256 }) => <CopyButton text={sha256} label={`checksum of ${name}`} />,
        },
      ]}
    />
  );
}

function Sums({ sums }: { sums: Record<string, number> }) {
  const entries = Object.entries(sums);
  if (entries.length === 0) return <>–</>;
  return (
    <Stack gap={0}>
      {entries.map(([column, cents]) => (
        <span key={column}>
          {humanize(column.replace(/_cents$/, ''))}: <Money cents={cents} />
        </span>
      ))}
    </Stack>
  );
}
