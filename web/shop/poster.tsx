import type { Image, Poster as PosterModel } from '../../src/web/contract.ts';

interface PictureProps {
  image: Image;
  /** The width at which the picture is shown, for the attribute `sizes`. */
  sizes: string;
  /** The first picture of a page is loaded at once, all others when they come into view. */
  first?: boolean;
  /** Another shape of the picture for wide screens. */
  wideScreen?: { image: Image; media: string };
}

/** A picture beside its title, so it needs no text of its own. */
export const Picture = ({ image, sizes, first, wideScreen }: PictureProps) => (
  <picture>
    {wideScreen && <Sources image={wideScreen.image} sizes={sizes} media={wideScreen.media} />}
    {image.sources.map(({ type, srcset }) => (
      <source type={type} srcset={srcset} sizes={sizes} />
    ))}
    <img
      src={image.src}
      alt=""
      width={image.width}
      height={image.height}
      decoding="async"
      {...(first ? { fetchpriority: 'high' as const } : { loading: 'lazy' as const })}
    />
  </picture>
);

const Sources = ({ image, sizes, media }: { image: Image; sizes: string; media: string }) => (
  <>
    {image.sources.map(({ type, srcset }) => (
      <source type={type} srcset={srcset} sizes={sizes} media={media} />
    ))}
    {image.sources.length === 0 && <source srcset={image.src} media={media} />}
  </>
);

/** The poster of the event page: wide on phones, tall beside the text on large screens. */
export const EventPoster = ({ poster }: { poster: PosterModel }) => (
  <div class="poster">
    <Picture
      image={poster.wide}
      {...(poster.tall.src !== poster.wide.src && { wideScreen: { image: poster.tall, media: '(min-width: 880px)' } })}
      sizes="(min-width: 880px) 400px, 100vw"
      first
    />
  </div>
);
