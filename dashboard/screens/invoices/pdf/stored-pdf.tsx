import { Anchor, Stack, Text } from '@mantine/core';
import type { Invoice } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { PdfFrame } from './pdf-frame';
import { usePdf } from './use-pdf';

/** The PDF of the stored invoice, for the side of its form. */
export function StoredPdf({ invoice }: { invoice: Invoice }) {
  const { url, problem, retry } = usePdf(invoice);
  return (
    <Stack component="aside" gap="xs" aria-label="PDF">
      <Text size="sm">As it is stored. Your changes appear here once they are saved.</Text>
      {problem && <ProblemAlert problem={problem} onRetry={retry} />}
      {!problem && !url && <Loading label="Loading the PDF" />}
      {!problem && url && (
        <>
          <PdfFrame url={url} number={invoice.invoice_number} />
          {/* The dialog's focus trap skips a frame that is its last stop, so the link follows. */}
          <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
            Open in a new tab
          </Anchor>
        </>
      )}
    </Stack>
  );
}
