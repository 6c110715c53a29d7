/**
 * Does the same for each item, several items at a time: each worker takes the next item when it is
 * done with one. A page that waits for the server leaves the processor to the other pages.
 */
export async function doSideBySide<Worker, Item>(
  workers: readonly Worker[],
  items: readonly Item[],
  act: (worker: Worker, item: Item) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const work = async (worker: Worker) => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(worker, item);
  };
  await Promise.all(workers.map(work));
}
