import { useEffect, useState } from 'react';
import { client } from '../../../api/client';
import { type Problem, toProblem } from '../../../api/problem';
import type { Invoice } from '../../../api/records';

/**
 * Reads the PDF again only when the invoice has changed. Otherwise the frame would reload the PDF
 * again and again.
 */
export function usePdf({ id, updated_at: version }: Invoice) {
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
