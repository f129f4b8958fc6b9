import { useState } from 'preact/hooks';
import type { AnswerOf } from '../../../../client/src/index.ts';
import type { PlatformMessages } from '../../../messages/console/platform.en.ts';
import { fill, plural } from '../../../messages/fill.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import * as icons from '../../../ui/icons.ts';
import { useConsole, useMessages } from '../../app/console.ts';
import { to } from '../../app/place.ts';
import { useToast } from '../../app/toasts.tsx';
import { useData } from '../../app/use-data.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Form } from '../../parts/form.tsx';
import { OrderedList } from '../../parts/ordered-list.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { errorText, Show } from '../../parts/show.tsx';

type Category = AnswerOf<'createCategory'>;

/** A category that cannot be deleted. */
interface Blocked {
  category: Category;
  events: number;
}

/** The categories of the shop, in the order in which buyers see them. */
export function Categories() {
  const { client, t: frame, locale } = useConsole();
  const t = useMessages<PlatformMessages>();
  const toast = useToast();
  const confirm = useConfirm();
  const [blocked, setBlocked] = useState<Blocked | null>(null);
  const [edited, setEdited] = useState<Category | 'new' | null>(null);
  const categories = useData(async (signal) => (await client.categories.list({}, { signal })).data, []);
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      toast(errorText(frame, error), { tone: 'bad' });
    }
  };
  const order = (rows: Category[]) => {
    categories.set(rows.map((row, position) => ({ ...row, position })));
    return attempt(async () => {
      for (const [position, row] of rows.entries()) if (row.position !== position) await client.categories.update({ id: row.id, position });
    });
  };
  const remove = (category: Category) =>
    attempt(async () => {
      const { total = 0 } = await client.events.list({ categoryId: category.id, pageSize: 1, count: true, fields: ['id'] });
      if (total > 0) return setBlocked({ category, events: total });
      const isSure = await confirm({
        title: fill(t.categories.deleteName, { name: category.name }),
        text: t.categories.unused,
        action: t.categories.delete,
        danger: true,
      });
      if (!isSure) return;
      await client.categories.delete({ id: category.id });
      await categories.reload();
      const { name, slug, position } = category;
      const undo = () =>
        attempt(async () => {
          await client.categories.create({ name, slug, position });
          await categories.reload();
        });
      toast(fill(t.categories.deleted, { name }), { action: { label: frame.undo, run: undo } });
    });
  return (
    <>
      <PageHead title={t.tiles.categories.title} about={t.categories.about} back={{ href: to('/platform'), label: t.title }}>
        <button type="button" class="button" onClick={() => setEdited('new')}>
          <Icon path={icons.plus} />
          {t.categories.add}
        </button>
      </PageHead>
      <Show of={categories}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon={icons.columns} title={t.categories.none.title} text={t.categories.none.text} />
          ) : (
            <section class="panel">
              <OrderedList rows={rows} rowKey={({ id }) => id} name={({ name }) => name} labels={t.move} onMove={order}>
                {(row) => (
                  <>
                    <span class="two-lines">
                      <b>{row.name}</b>
                      <span class="soft small">/{row.slug}</span>
                    </span>
                    <span class="actions">
                      <button
                        type="button"
                        class="text-button"
                        aria-label={fill(t.categories.renameName, { name: row.name })}
                        onClick={() => setEdited(row)}
                      >
                        {t.categories.rename}
                      </button>
                      <button
                        type="button"
                        class="text-button"
                        aria-label={fill(t.categories.deleteName, { name: row.name })}
                        onClick={() => void remove(row)}
                      >
                        {t.categories.delete}
                      </button>
                    </span>
                  </>
                )}
              </OrderedList>
            </section>
          )
        }
      </Show>
      {blocked && (
        <Dialog title={fill(t.categories.keep, { name: blocked.category.name })} onClose={() => setBlocked(null)}>
          <p>{plural(locale, t.categories.inUse, blocked.events)}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => setBlocked(null)}>
              {t.categories.understood}
            </button>
          </div>
        </Dialog>
      )}
      {edited && (
        <EditCategory
          category={edited === 'new' ? null : edited}
          count={categories.data?.length ?? 0}
          onClose={() => setEdited(null)}
          onDone={categories.reload}
        />
      )}
    </>
  );
}

interface EditCategoryProps {
  category: Category | null;
  /** A new category is the last one. */
  count: number;
  onClose: () => void;
  onDone: () => unknown;
}

function EditCategory({ category, count, onClose, onDone }: EditCategoryProps) {
  const { client, t: frame } = useConsole();
  const t = useMessages<PlatformMessages>();
  const save = (values: { name: string; slug: string }) =>
    category ? client.categories.update({ id: category.id, ...values }) : client.categories.create({ ...values, position: count });
  return (
    <Dialog title={category ? fill(t.categories.renameName, { name: category.name }) : t.categories.add} onClose={onClose}>
      <Form
        initial={{ name: category?.name ?? '', slug: category?.slug ?? '' }}
        submit={({ values }) => save(values)}
        onDone={() => {
          onClose();
          onDone();
        }}
        action={category ? frame.save : t.categories.add}
      >
        <TextField name="name" label={t.categories.name} maxLength={100} required autofocus />
        <TextField
          name="slug"
          label={t.categories.slug}
          hint={t.categories.slugHint}
          maxLength={100}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          required
        />
      </Form>
    </Dialog>
  );
}
