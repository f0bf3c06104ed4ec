// SPDX-License-Identifier: GPL-2.0-only
/*
 * The streams of an AXI DMA as IIO devices: their buffers are those that IIO has over dmaengine.
 * "stream-s2mm" is a converter that samples words of 32 bits, "stream-mm2s" one that puts them out.
 * What the streams carry is not the concern of this module.
 */
#include <linux/iio/buffer-dmaengine.h>
#include <linux/iio/iio.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#define STREAM_WORD(is_output)				\
	{						\
		.type = IIO_VOLTAGE,			\
		.indexed = 1,				\
		.output = (is_output),			\
		.scan_index = 0,			\
		.scan_type = {				\
			.sign = 'u',			\
			.realbits = 32,			\
			.storagebits = 32,		\
		},					\
	}

static const struct iio_chan_spec stream_samples = STREAM_WORD(0);
static const struct iio_chan_spec stream_outputs = STREAM_WORD(1);
static const struct iio_info stream_info = {};

static int stream_add(struct device *dev, const char *name, const char *dma,
		      const struct iio_chan_spec *words, enum iio_buffer_direction direction)
{
	struct iio_dev *stream = devm_iio_device_alloc(dev, 0);
	int ret;

	if (!stream)
		return -ENOMEM;
	stream->name = name;
	stream->info = &stream_info;
	stream->modes = INDIO_DIRECT_MODE;
	stream->channels = words;
	stream->num_channels = 1;
	ret = devm_iio_dmaengine_buffer_setup_ext(dev, stream, dma, direction);
	if (ret)
		return dev_err_probe(dev, ret, "no buffer on DMA channel %s\n", dma);
	return devm_iio_device_register(dev, stream);
}

static int stream_probe(struct platform_device *pdev)
{
	int ret;

	ret = stream_add(&pdev->dev, "stream-s2mm", "s2mm", &stream_samples,
			 IIO_BUFFER_DIRECTION_IN);
	if (ret)
		return ret;
	return stream_add(&pdev->dev, "stream-mm2s", "mm2s", &stream_outputs,
			  IIO_BUFFER_DIRECTION_OUT);
}

static const struct of_device_id stream_match[] = {
	{ .compatible = "sluice,iio-stream" },
	{ }
};
MODULE_DEVICE_TABLE(of, stream_match);

static struct platform_driver stream_driver = {
	.driver = {
		.name = "iio-stream",
		.of_match_table = stream_match,
	},
	.probe = stream_probe,
};
module_platform_driver(stream_driver);

MODULE_DESCRIPTION("The streams of an AXI DMA as IIO devices");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("IIO_DMAENGINE_BUFFER");
