import { Anchor, Button, Group, Stack } from '@mantine/core';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../../../api/client';
import { type Problem, toProblem } from '../../../api/problem';
import type { Invoice } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';

/** The PDF of the invoice, as the customer gets it. */
export function PdfTab({ invoice }: { invoice: Invoice }) {
  const { url, problem, retry } = usePdf(invoice);
  const name = `invoice-${invoice.invoice_number.replace(/[^\w.-]+/g, '-')}.pdf`;
  if (problem) return <ProblemAlert problem={problem} onRetry={retry} />;
  if (!url) return <Loading label="Loading the PDF" />;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button component="a" href={url} download={name} leftSection={<Download size={14} aria-hidden />}>
          Download
        </Button>
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          Open in a new tab
        </Anchor>
      </Group>
      <iframe
        src={url}
        title={`PDF of ${invoice.invoice_number}`}
        style={{ width: '100%', height: '70vh', border: '1px solid var(--mantine-color-default-border)' }}
      />
    </Stack>
  );
}

/**
 * Reads the PDF again only when the invoice has changed. Otherwise the frame would reload the PDF
 * again and again.
 */
function usePdf({ id, updated_at: version }: Invoice) {
  const [state, setState] = useState<{ url?: string; problem?: Problem }>({});
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version reloads the PDF
  useEffect(() => {
    const abort = new AbortController();
    let url: string | undefined;
    const read = async () => {
      try {
        const { data } = await client.GET('/invoices/{id}/pdf', {
          params: { path: { id } },
          parseAs: 'blob',
          signal: abort.signal,
        });
        url = URL.createObjectURL(data as Blob);
        setState({ url });
      } catch (error) {
        if (!abort.signal.aborted) setState({ problem: toProblem(error) });
      }
    };
    void read();
    return () => {
      abort.abort();
      if (url) URL.revokeObjectURL(url);
    };
  }, [id, version, attempt]);
  return { ...state, retry: () => setAttempt((last) => last + 1) };
}
