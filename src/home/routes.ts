import { type Capability, capability } from '../http/capability.ts';
import type { ReceivePicture } from '../platform/pictures/picture-store.ts';
import { homeContract } from './contract.ts';
import { deleteCoverImage, getHomeCover, setCover, uploadCoverImage } from './cover.ts';
import {
  createFeatured,
  deleteBannerImage,
  deleteFeatured,
  getFeatured,
  listFeatured,
  updateFeatured,
  uploadBannerImage,
} from './featured.ts';
import { getHomeSettings } from './home-settings.ts';
import { createSection, deleteSection, getHomeSections, updateSection } from './sections.ts';

export const home = (receivePicture: ReceivePicture): Capability =>
  capability(homeContract, {
    getFeatured: async (tx, act, { query }) => ({ data: await getFeatured(tx, act, query), nextCursor: null }),
    listFeatured: async (tx) => ({ data: await listFeatured(tx), nextCursor: null }),
    createFeatured: (tx, act, { body }) => createFeatured(tx, act, body),
    updateFeatured: (tx, act, { params, body }) => updateFeatured(tx, act, params.id, body),
    deleteFeatured: (tx, act, { params }) => deleteFeatured(tx, act, params.id),
    uploadBannerImage: async (act, { params, file }) => {
      const picture = await receivePicture(act, file, 'photo');
      return (tx) => uploadBannerImage(tx, act, params.id, picture);
    },
    deleteBannerImage: (tx, act, { params }) => deleteBannerImage(tx, act, params.id),
    getHomeSettings: (tx, act) => getHomeSettings(tx, act),
    getHomeSections: async (tx, act) => ({ data: await getHomeSections(tx, act), nextCursor: null }),
    createSection: (tx, act, { body }) => createSection(tx, act, body),
    updateSection: (tx, act, { params, body }) => updateSection(tx, act, params.id, body),
    deleteSection: (tx, act, { params }) => deleteSection(tx, act, params.id),
    getHomeCover: (tx, act) => getHomeCover(tx, act),
    setCover: (tx, act, { body }) => setCover(tx, act, body),
    uploadCoverImage: async (act, { file }) => {
      const picture = await receivePicture(act, file, 'photo');
      return (tx) => uploadCoverImage(tx, act, picture);
    },
    deleteCoverImage: (tx, act) => deleteCoverImage(tx, act),
  });
