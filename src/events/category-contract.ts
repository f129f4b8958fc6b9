import Type, { type Static } from 'typebox';
import { admin, anyone } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, line, named, optional, Position, pageOf } from '../kernel/schema.ts';
import { CategorySlug, idParams } from './event-schemas.ts';

const Category = named('Category', { id: Id, slug: Type.String(), name: Type.String(), position: Type.Integer() });
export type Category = Static<typeof Category>;

const NewCategory = closed({ slug: CategorySlug, name: line(100), position: Type.Optional(Position) });
export type NewCategory = Static<typeof NewCategory>;

const CategoryChanges = closed(optional({ slug: CategorySlug, name: line(100), position: Position }), { minProperties: 1 });
export type CategoryChanges = Static<typeof CategoryChanges>;

const exampleCategory = { id: 1, slug: 'music', name: 'Music', position: 0 };

export const categoryContract = {
  listCategories: route({
    method: 'GET',
    path: '/categories',
    group: 'event',
    summary: 'List categories',
    description: 'Returns all categories, sorted by `position`.',
    access: anyone,
    answer: { status: 200, body: pageOf(Category) },
    cached: { tag: 'all' },
    examples: { answer: { data: [exampleCategory], nextCursor: null } },
  }),
  createCategory: route({
    method: 'POST',
    path: '/categories',
    group: 'event',
    summary: 'Create a category',
    description: 'The events of a category are listed at `/{slug}`. Returns 422 if the slug is the first segment of another API path.',
    access: admin,
    body: NewCategory,
    answer: { status: 201, body: Category },
    problems: ['already_exists', 'rule_violation'],
    examples: { body: { slug: 'music', name: 'Music' }, answer: exampleCategory },
  }),
  updateCategory: route({
    method: 'PUT',
    path: '/categories/{id}',
    group: 'event',
    summary: 'Update a category',
    description: 'Changes only the fields that are present. Returns 422 if the slug is the first segment of another API path.',
    access: admin,
    params: idParams,
    body: CategoryChanges,
    answer: { status: 200, body: Category },
    problems: ['already_exists', 'rule_violation'],
    examples: { params: { id: 1 }, body: { name: 'Music' }, answer: exampleCategory },
  }),
  deleteCategory: route({
    method: 'DELETE',
    path: '/categories/{id}',
    group: 'event',
    summary: 'Delete a category',
    description: 'Returns 409 if the category still has events. Move them to another category first.',
    access: admin,
    params: idParams,
    answer: { status: 204 },
    problems: ['wrong_state'],
    examples: { params: { id: 1 } },
  }),
};
