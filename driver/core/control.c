// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control node of a board: what may safely be set and read around its engines.
 *
 * Nobody sees a register. A block is one of those listed here, found by its compatible string, and
 * an attribute is one field of it. The register description (regs) says which fields are, whether
 * they may be written, and up to what value. An engine is no such block, and what the driver itself
 * uses of a capability block is only read.
 */

#include <linux/bitops.h>
#include <linux/cdev.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/platform_device.h>
#include <linux/property.h>
#include <linux/slab.h>
#include <linux/sluice.h>

#include "call.h"
#include "capability.h"
#include "control.h"
#include "node.h"
#include "sl_capability.h"
#include "sl_hp_lane.h"
#include "sl_stream_sink.h"
#include "sl_stream_source.h"
#include "sl_test_picture.h"

#define SLUICE_MAX_BLOCKS	64

/* ---------------------------------------------------------------------------------------------
 * What there is
 */

/**
 * struct sluice_field - An attribute of a block
 * @name: behind the block's
 * @offset: of its register, or of the lower one of two
 * @mask: of the field in its register
 * @max: the largest value that can be written; 0: it is only read
 * @wide: 64 bits in two registers; reading the lower one keeps the upper one
 */
struct sluice_field {
	const char *name;
	u32 offset;
	u32 mask;
	u32 max;
	bool wide;
};

/* Which fields have names is said in regs: a list of each block in its header. */
#define SLUICE_FIELD(text, description, at, bits, most, pair)	\
	{ .name = (text), .offset = (at), .mask = (bits), .max = (most), .wide = (pair) },

static const struct sluice_field sluice_source_fields[] = {
	SL_STREAM_SOURCE_ATTRIBUTES(SLUICE_FIELD)
};

static const struct sluice_field sluice_sink_fields[] = {
	SL_STREAM_SINK_ATTRIBUTES(SLUICE_FIELD)
};

static const struct sluice_field sluice_picture_fields[] = {
	SL_TEST_PICTURE_ATTRIBUTES(SLUICE_FIELD)
};

/* Of a lane that has no other way for its streams. */
static const struct sluice_field sluice_loopback_fields[] = {
	SL_HP_LANE_ATTRIBUTES(SLUICE_FIELD)
};

static const struct sluice_field sluice_lane_fields[] = {
	SL_HP_LANE_ATTRIBUTES(SLUICE_FIELD)
	SL_HP_LANE_ROUTE_ATTRIBUTES(SLUICE_FIELD)
};

/* Periods and their snapshots are the driver's: SL_CAPABILITY_CAPTURE_ATTRIBUTES is left out. */
static const struct sluice_field sluice_capability_fields[] = {
	SL_CAPABILITY_ATTRIBUTES(SLUICE_FIELD)
};

/**
 * struct sluice_block_kind - Blocks of one compatible string
 * @compatible: the string
 * @field: of each
 * @fields: count of @field
 * @shared: registers are another driver's, which reads them
 */
struct sluice_block_kind {
	const char *compatible;
	const struct sluice_field *field;
	unsigned int fields;
	bool shared;
};

static const struct sluice_block_kind sluice_block_kinds[] = {
	{ "sluice,stream-source", sluice_source_fields, ARRAY_SIZE(sluice_source_fields) },
	{ "sluice,stream-sink", sluice_sink_fields, ARRAY_SIZE(sluice_sink_fields) },
	{ "sluice,test-picture", sluice_picture_fields, ARRAY_SIZE(sluice_picture_fields) },
	{ "sluice,stream-loopback", sluice_loopback_fields, ARRAY_SIZE(sluice_loopback_fields) },
	{ "sluice,lane-control", sluice_lane_fields, ARRAY_SIZE(sluice_lane_fields) },
	{ "sluice,capability-1.0", sluice_capability_fields, ARRAY_SIZE(sluice_capability_fields),
	  true },
};

/* ---------------------------------------------------------------------------------------------
 * A board's
 */

/**
 * struct sluice_block - A block of a board
 * @kind: what it has
 * @name: in front of its attributes' names
 * @registers: of it, unless they are another driver's
 * @capability: whose they are then
 */
struct sluice_block {
	const struct sluice_block_kind *kind;
	char name[sizeof_field(struct sluice_info, name)];
	void __iomem *registers;
	struct sluice_capability *capability;
};

/**
 * struct sluice_control - A control node
 * @dev: in the class sluice; holds this structure
 * @cdev: the node
 * @lock: of registers
 * @gone: the device was unbound: no registers
 * @blocks: count of @block
 * @block: all there are
 */
struct sluice_control {
	struct device dev;
	struct cdev cdev;
	struct mutex lock; /* registers */
	bool gone;
	unsigned int blocks;
	struct sluice_block block[];
};

/* control->lock is held. */
static u64 sluice_field_read(const struct sluice_block *block, const struct sluice_field *field)
{
	u64 value;

	if (block->capability)
		value = sluice_capability_read(block->capability, 0, field->offset, field->wide);
	else
		value = ioread32(block->registers + field->offset);
	if (!field->wide)
		return (value & field->mask) >> __ffs(field->mask);
	if (!block->capability)
		value |= (u64)ioread32(block->registers + field->offset + 4) << 32;
	return value;
}

/* The same; what shares the register stays. */
static void sluice_field_write(const struct sluice_block *block, const struct sluice_field *field,
			       u32 value)
{
	value <<= __ffs(field->mask);
	if (~field->mask)
		value |= ioread32(block->registers + field->offset) & ~field->mask;
	iowrite32(value, block->registers + field->offset);
}

static int sluice_field_find(const struct sluice_control *control, const char *name,
			     const struct sluice_block **block, const struct sluice_field **field)
{
	for (unsigned int i = 0; i < control->blocks; i++) {
		const struct sluice_block *there = &control->block[i];
		size_t prefix = strlen(there->name);

		if (strncmp(name, there->name, prefix) || name[prefix] != '.')
			continue;
		for (unsigned int k = 0; k < there->kind->fields; k++) {
			if (strcmp(name + prefix + 1, there->kind->field[k].name))
				continue;
			*block = there;
			*field = &there->kind->field[k];
			return 0;
		}
	}
	return -ENOENT;
}

/* ---------------------------------------------------------------------------------------------
 * Calls
 */
static int sluice_check_attribute_info(struct file *file, const void *data)
{
	const struct sluice_attribute_info *arg = data;

	return arg->reserved ? -EINVAL : 0;
}

/* Blocks and their fields do not change: no lock. */
static int sluice_ioctl_attribute_info(struct file *file, void *data)
{
	const struct sluice_control *control = file->private_data;
	struct sluice_attribute_info *arg = data;
	u32 index = arg->index;

	for (unsigned int i = 0; i < control->blocks; i++) {
		const struct sluice_block *block = &control->block[i];

		if (index >= block->kind->fields) {
			index -= block->kind->fields;
			continue;
		}
		arg->max = block->kind->field[index].max;
		memset(arg->name, 0, sizeof(arg->name));
		snprintf(arg->name, sizeof(arg->name), "%s.%s", block->name,
			 block->kind->field[index].name);
		return 0;
	}
	return -ENOENT;
}

static int sluice_check_attribute(struct file *file, const void *data)
{
	const struct sluice_attribute *arg = data;

	return strnlen(arg->name, sizeof(arg->name)) == sizeof(arg->name) ? -EINVAL : 0;
}

static int sluice_check_attribute_set(struct file *file, const void *data)
{
	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	return sluice_check_attribute(file, data);
}

static int sluice_lock_control(struct file *file)
{
	struct sluice_control *control = file->private_data;

	if (mutex_lock_interruptible(&control->lock))
		return -ERESTARTSYS;
	if (!control->gone)
		return 0;
	mutex_unlock(&control->lock);
	return -ENODEV;
}

static void sluice_unlock_control(struct file *file)
{
	struct sluice_control *control = file->private_data;

	mutex_unlock(&control->lock);
}

static int sluice_ioctl_attribute_get(struct file *file, void *data)
{
	struct sluice_attribute *arg = data;
	const struct sluice_block *block;
	const struct sluice_field *field;
	int ret;

	ret = sluice_field_find(file->private_data, arg->name, &block, &field);
	if (ret)
		return ret;
	arg->value = sluice_field_read(block, field);
	return 0;
}

static int sluice_ioctl_attribute_set(struct file *file, void *data)
{
	const struct sluice_attribute *arg = data;
	const struct sluice_block *block;
	const struct sluice_field *field;
	int ret;

	ret = sluice_field_find(file->private_data, arg->name, &block, &field);
	if (ret)
		return ret;
	if (!field->max || block->capability)
		return -EACCES;
	if (arg->value > field->max)
		return -ERANGE;
	sluice_field_write(block, field, arg->value);
	return 0;
}

/* The call, its structure with the last member of version 1, and: check, lock, run. */
#define SLUICE_CALL(command, type, last, check, lock, run)	\
	SLUICE_CALL_ENTRY(SLUICE_ATTRIBUTE_INFO, command, type, last, 0, check, lock, run)

static const struct sluice_call sluice_control_call[] = {
	SLUICE_CALL(SLUICE_ATTRIBUTE_INFO, sluice_attribute_info, name,
		    sluice_check_attribute_info, NULL, sluice_ioctl_attribute_info),
	SLUICE_CALL(SLUICE_ATTRIBUTE_GET, sluice_attribute, name,
		    sluice_check_attribute, sluice_lock_control, sluice_ioctl_attribute_get),
	SLUICE_CALL(SLUICE_ATTRIBUTE_SET, sluice_attribute, name,
		    sluice_check_attribute_set, sluice_lock_control, sluice_ioctl_attribute_set),
};

static const struct sluice_calls sluice_control_calls = {
	.first = SLUICE_ATTRIBUTE_INFO,
	.count = ARRAY_SIZE(sluice_control_call),
	.call = sluice_control_call,
	.unlock = sluice_unlock_control,
};

static long sluice_control_ioctl(struct file *file, unsigned int command, unsigned long address)
{
	return sluice_call(file, &sluice_control_calls, command, address);
}

static int sluice_control_open(struct inode *inode, struct file *file)
{
	file->private_data = container_of(inode->i_cdev, struct sluice_control, cdev);
	return stream_open(inode, file);
}

static const struct file_operations sluice_control_fops = {
	.owner = THIS_MODULE,
	.open = sluice_control_open,
	.unlocked_ioctl = sluice_control_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ---------------------------------------------------------------------------------------------
 * Beginning and end
 */
static void sluice_control_free(struct device *dev)
{
	struct sluice_control *control = container_of(dev, struct sluice_control, dev);

	sluice_node_free_number(dev);
	for (unsigned int i = 0; i < control->blocks; i++)
		if (control->block[i].registers)
			iounmap(control->block[i].registers);
	mutex_destroy(&control->lock);
	kfree(control);
}

static void sluice_control_remove(void *data)
{
	struct sluice_control *control = data;

	cdev_device_del(&control->cdev, &control->dev);
	mutex_lock(&control->lock);
	control->gone = true;
	mutex_unlock(&control->lock);
	put_device(&control->dev);
}

static const struct sluice_block_kind *sluice_kind_of_node(const struct device_node *node)
{
	for (size_t i = 0; i < ARRAY_SIZE(sluice_block_kinds); i++)
		if (of_device_is_compatible(node, sluice_block_kinds[i].compatible))
			return &sluice_block_kinds[i];
	return NULL;
}

static const struct sluice_block_kind *sluice_kind_of_word(const char *compatible)
{
	for (size_t i = 0; i < ARRAY_SIZE(sluice_block_kinds); i++)
		if (!strcmp(compatible, sluice_block_kinds[i].compatible))
			return &sluice_block_kinds[i];
	return NULL;
}

/* The next block, without registers yet. */
static struct sluice_block *sluice_block_begin(struct sluice_control *control, struct device *dev,
					       const struct sluice_block_kind *kind,
					       const char *name)
{
	struct sluice_block *block = &control->block[control->blocks];

	block->kind = kind;
	if (strscpy(block->name, name, sizeof(block->name)) < 0) {
		dev_err(dev, "a name is too long: %s\n", name);
		return NULL;
	}
	return block;
}

/* A block that has a node in the device tree. */
static int sluice_block_add_node(struct sluice_control *control, struct device *dev,
				 struct device_node *node, const char *name)
{
	const struct sluice_block_kind *kind = sluice_kind_of_node(node);
	struct sluice_block *block;

	if (!kind)
		return dev_err_probe(dev, -EINVAL, "sluice,controls: %pOF has no safe registers\n",
				     node);
	block = sluice_block_begin(control, dev, kind, name);
	if (!block)
		return -EINVAL;
	if (block->kind->shared) {
		block->capability = sluice_capability_of(dev, node);
		if (IS_ERR(block->capability))
			return dev_err_probe(dev, PTR_ERR(block->capability), "no driver of %pOF\n",
					     node);
	} else {
		block->registers = of_iomap(node, 0);
		if (!block->registers)
			return dev_err_probe(dev, -EINVAL, "%pOF has no registers\n", node);
	}
	control->blocks++;
	return 0;
}

static int sluice_control_add_nodes(struct sluice_control *control, struct device *dev,
				    unsigned int count)
{
	struct device_node *node;
	const char *name;
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++) {
		node = of_parse_phandle(dev->of_node, "sluice,controls", i);
		if (!node)
			return dev_err_probe(dev, -EINVAL, "sluice,controls: no number %u\n", i);
		ret = of_property_read_string_index(dev->of_node, "sluice,control-names", i, &name);
		if (ret)
			dev_err_probe(dev, ret, "no sluice,control-names for %pOF\n", node);
		else if (of_device_is_available(node)) /* a board may not have all */
			ret = sluice_block_add_node(control, dev, node, name);
		of_node_put(node);
	}
	return ret;
}

/*
 * Where no device tree describes the board, "sluice,controls" says what each block is, and the
 * resources of the platform device where its registers are.
 */
static int sluice_control_add_resources(struct sluice_control *control,
					struct platform_device *pdev, unsigned int count)
{
	const char *compatible[SLUICE_MAX_BLOCKS], *name[SLUICE_MAX_BLOCKS];
	const struct sluice_block_kind *kind;
	struct device *dev = &pdev->dev;
	const struct resource *registers;
	struct sluice_block *block;

	if (device_property_read_string_array(dev, "sluice,controls", compatible, count) < 0 ||
	    device_property_read_string_array(dev, "sluice,control-names", name, count) !=
		    (int)count)
		return dev_err_probe(dev, -EINVAL, "sluice,controls: %u, without names\n", count);
	for (unsigned int i = 0; i < count; i++) {
		registers = platform_get_resource(pdev, IORESOURCE_MEM, i);
		kind = sluice_kind_of_word(compatible[i]);
		if (!kind || kind->shared || !registers)
			return dev_err_probe(dev, -EINVAL,
					     "sluice,controls: %s has no safe registers\n",
					     compatible[i]);
		block = sluice_block_begin(control, dev, kind, name[i]);
		if (!block)
			return -EINVAL;
		block->registers = ioremap(registers->start, resource_size(registers));
		if (!block->registers)
			return -ENOMEM;
		control->blocks++;
	}
	return 0;
}

/**
 * sluice_control_add - Make the control node of a board, if it has something to control
 * @pdev: our device
 * @board: its name
 *
 * Return: 0 or -errno, said why.
 */
int sluice_control_add(struct platform_device *pdev, const char *board)
{
	struct sluice_control *control;
	struct device *dev = &pdev->dev;
	int count, ret;

	if (!device_property_present(dev, "sluice,controls"))
		return 0;
	count = dev->of_node ? of_count_phandle_with_args(dev->of_node, "sluice,controls", NULL) :
			       device_property_string_array_count(dev, "sluice,controls");
	if (count < 1 || count > SLUICE_MAX_BLOCKS)
		return dev_err_probe(dev, -EINVAL, "sluice,controls: %d\n", count);
	control = kzalloc(struct_size(control, block, count), GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	mutex_init(&control->lock);
	sluice_node_init(&control->dev, dev, sluice_control_free);
	ret = dev->of_node ? sluice_control_add_nodes(control, dev, count) :
			     sluice_control_add_resources(control, pdev, count);
	if (ret)
		goto put;
	ret = sluice_node_publish(&control->dev, &control->cdev, &sluice_control_fops, board,
				  "control");
	if (ret) {
		dev_err_probe(dev, ret, "no control node\n");
		goto put;
	}
	return devm_add_action_or_reset(dev, sluice_control_remove, control);

put:
	put_device(&control->dev);
	return ret;
}
