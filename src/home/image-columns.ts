import { describeImage, isUploadedPicture, type StoredPicture } from '../kernel/picture.ts';
import { ruleViolation } from '../kernel/problem.ts';

interface ImageColumns {
  image: string | null;
  picture_id: string | null;
}

/** The new values if a client sends `image`. A client that sends back the address of the uploaded picture changes nothing. */
export function imageColumns(
  { image, picture_id, picture }: ImageColumns & { picture: StoredPicture | null },
  sent: string | null | undefined,
  upload: string,
): ImageColumns {
  if (sent === undefined || sent === describeImage(image, picture).address) return { image, picture_id };
  if (isUploadedPicture(sent)) throw ruleViolation('image', 'not_uploaded', `Upload the picture with ${upload}.`);
  return { image: sent, picture_id: null };
}
